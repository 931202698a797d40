/** Collection paths in requests. */
import * as z from 'zod';

const CollectionPath = z
  .string()
  .min(1, 'must not be empty')
  .max(6_000)
  .refine((path) => path.split('/').length % 2 === 1, 'must be the path of a collection, such as users or users/ada/orders')
  .refine(
    (path) => path.split('/').every((part) => part !== '' && part !== '.' && part !== '..'),
    'must not have empty segments, . or ..',
  )
  .refine(
    (path) => path.split('/').every((part, n) => n % 2 === 1 || !/^__.*__$/s.test(part)),
    'must not name a reserved collection',
  )
  .refine((path) => path.isWellFormed(), 'must be well-formed text');
const collectionsMax = 1_000;
export const CollectionPaths = z.array(CollectionPath).max(collectionsMax, `must have at most ${collectionsMax} entries`);
export const Collections = CollectionPaths.min(1, 'must name a collection, or be ["*"]').refine(
  (paths) => !paths.includes('*') || paths.length === 1,
  '* means all collections and must be the only entry',
);
