/** Commits documents forever and reports each acknowledgement; compacts now and then. Its parent ends it. */
import { StoredDatabase } from '../../../infra/local/engines/firestore/storage/database.ts';
import { commit, databaseId, set } from './encoded.ts';

const database = new StoredDatabase(databaseId, { dir: process.argv[2] });
for (let i = 0; ; i++) {
  await commit(database, set(`c/${i}`, { n: { integerValue: String(i) } }));
  if (i % 100 === 50) void database.compact();
  if (!process.stdout.write(`${i}\n`)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}
