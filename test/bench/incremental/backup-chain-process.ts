/** Child process: makes a full backup and a chain of incremental ones, with source, store and table in this process. */

import { proto } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { SeededRandom } from '../../../infra/local/engines/firestore/seed/seeded-random.ts';
import { commitWrites, parseWrite } from '../../../infra/local/engines/firestore/write/commit-writes.ts';
import { ArchiveEnv } from '../../harness/env/archive-env.ts';
import { startEnv } from '../../harness/env/backup-env.ts';
import { makeLink } from '../../harness/env/chain-links.ts';
import { fill } from '../backup/source/sample-database.ts';

export interface Took {
  readonly what: string;
  readonly documents: number;
  readonly bytes: number;
  readonly reads: number;
  readonly cpuSeconds: number;
}

const documents = 40_000;
const changedShare = 0.01;
const linksMax = 6;

const t = await startEnv(ArchiveEnv);
const name = { projectId: t.sourceProjectId, databaseId: '(default)' };
await fill(t.server.databases, { projectId: t.sourceProjectId, count: documents });
const dice = new SeededRandom(7);

/** Changes every hundredth document at a random position: each one interrupts a range of unchanged documents. */
const change = async (round: number): Promise<void> => {
  const all = t.contents();
  const chosen = new Set(Array.from({ length: documents * changedShare }, () => dice.below(all.length)));
  const writes = [...chosen].map((n) => {
    const [path, hex] = all[n] ?? ['', ''];
    const { fields } = proto.Document.decode(Buffer.from(hex, 'hex'));
    const update = {
      name: `${t.root}/${path}`,
      fields: new Map(fields).set('round', proto.Value.encode({ integerValue: BigInt(round) })),
    };
    return parseWrite(proto.Write.encode({ update: proto.Document.encode(update) }), name);
  });
  for (let n = 0; n < writes.length; n += 500) await commitWrites(t.server.databases.open(name), writes.slice(n, n + 500));
};

const measured = async (what: string): Promise<Took> => {
  const before = process.cpuUsage();
  const { size: bytes, reads, documentCount, status } = await makeLink(t);
  if (status !== 'completed') throw new Error(`the backup is ${status}`);
  const { user, system } = process.cpuUsage(before);
  return { what, documents: documentCount, bytes, reads, cpuSeconds: (user + system) / 1e6 };
};

const took: Took[] = [await measured('full')];
for (let round = 1; round <= linksMax; round++) {
  await change(round);
  took.push(await measured(`1 % changed, ${round} from the full one`));
}
took.push(await measured('nothing changed'));
process.send?.(took);
await t.server.stop();
process.disconnect?.();
