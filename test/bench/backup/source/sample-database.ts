/**
 * The sample database: documents of about 1 kB with mixed types, one collection per forty documents, one document in ten
 * below a missing parent. The same count gives the same documents.
 */

import { documentName } from '../../../../infra/local/engines/firestore/base/document-name.ts';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { Ref, valueBytes } from '../../../../infra/local/engines/firestore/seed/plain-values.ts';
import { SeededRandom } from '../../../../infra/local/engines/firestore/seed/seeded-random.ts';
import type { Databases } from '../../../../infra/local/engines/firestore/storage/databases.ts';
import { commitWrites, parseWrite } from '../../../../infra/local/engines/firestore/write/commit-writes.ts';
import { fieldsOf } from '../../archive/sample-documents.ts';

/** All collection ids, for clients that cannot list them. */
export const collectionIds = ['archives', 'entries', 'orders', 'products', 'users'];

const atOnce = 500;

export const fill = async (
  databases: Databases,
  {
    projectId,
    count,
    hasReferences = true,
  }: { readonly projectId: string; readonly count: number; readonly hasReferences?: boolean | undefined },
): Promise<void> => {
  const name = { projectId, databaseId: '(default)' };
  const database = databases.open(name);
  const dice = new SeededRandom(1);
  for (let start = 0; start < count; start += atOnce) {
    const writes = Array.from({ length: Math.min(atOnce, count - start) }, (_, i) => {
      const fields = Object.entries(fieldsOf(start + i, dice))
        .filter(([, value]) => hasReferences || !(value instanceof Ref))
        .map(([field, value]) => [field, valueBytes(value)] as const);
      const update = { name: documentName(name, pathOf(start + i, count, dice)), fields: new Map(fields) };
      return parseWrite(proto.Write.encode({ update: proto.Document.encode(update) }), name);
    });
    await commitWrites(database, writes);
  }
};

/** Of ten documents five are users, one a product, three orders of a few users, and one an entry below a missing document. */
const pathOf = (i: number, count: number, dice: SeededRandom): string => {
  if (i % 40 === 0) return `users/u${i / 40}`;
  const kind = i % 10;
  if (kind < 5) return `users/${dice.id(20)}`;
  if (kind === 5) return `products/${dice.id(20)}`;
  if (kind < 9) return `users/u${dice.below(Math.ceil(count / 40))}/orders/${dice.id(20)}`;
  return `archives/${2024 + dice.below(2)}-${dice.below(12) + 1}/entries/${dice.id(20)}`;
};
