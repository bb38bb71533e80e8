/** What reading a statement is measured against: csv-parse that only splits the file into cells. */
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';

const [path = ''] = process.argv.slice(2);
let records = 0;
for await (const record of createReadStream(path).pipe(parse())) records += Array.isArray(record) ? 1 : 0;
if (records === 0) throw new Error(`${path} holds no record`);
