/** What a program and its PostgreSQL server say to each other. */
import type { PostgresEngine } from '../../../src/store/postgres/engine.ts';

/** What was asked of the server, and answered by it, while something was done: `asked …` and `answered …` in their order. */
export async function listen(
  { pool }: Pick<PostgresEngine, 'pool'>,
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  const client = await pool.connect();
  const prototype = Object.getPrototypeOf(client) as { query: (...asked: unknown[]) => Promise<unknown> };
  client.release();
  const { query: asked } = prototype;
  const heard: string[] = [];
  prototype.query = async function (...given) {
    const [first] = given;
    const text = (typeof first === 'string' ? first : (first as { text: string }).text).trim();
    heard.push(`asked ${text}`);
    const answer = await asked.apply(this, given);
    heard.push(`answered ${text}`);
    return answer;
  };
  try {
    await work();
  } finally {
    prototype.query = asked;
  }
  return heard;
}
