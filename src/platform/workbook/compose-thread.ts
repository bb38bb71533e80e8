/** The thread that composes a large workbook: receives its sheets, returns its bytes, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { composeWorkbook, type WorkbookSheet } from './compose.ts';

const bytes = await composeWorkbook(workerData as readonly WorkbookSheet[]);
parentPort?.postMessage(bytes, [bytes.buffer as ArrayBuffer]);
