/** Commits documents for ever and says after each that it was acknowledged; compacts now and then. Ended by its parent. */
import { StoredDatabase } from '../../../infra/local/engines/firestore/storage/database.ts';
import { commit, databaseId, set } from './encoded.ts';

const database = new StoredDatabase(databaseId, { dir: process.argv[2] });
for (let i = 0; ; i++) {
  await commit(database, set(`c/${i}`, { n: { integerValue: String(i) } }));
  if (i % 100 === 50) void database.compact();
  if (!process.stdout.write(`${i}\n`)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}
