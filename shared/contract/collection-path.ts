/** Collection paths in requests. */
import * as z from 'zod/mini';

const CollectionPath = z.string().check(
  z.minLength(1, 'must not be empty'),
  z.maxLength(6_000),
  z.refine((path) => path.split('/').length % 2 === 1, 'must be the path of a collection, such as users or users/ada/orders'),
  z.refine(
    (path) => path.split('/').every((part) => part !== '' && part !== '.' && part !== '..'),
    'must not have empty segments, . or ..',
  ),
  z.refine(
    (path) => path.split('/').every((part, n) => n % 2 === 1 || !/^__.*__$/s.test(part)),
    'must not name a reserved collection',
  ),
  z.refine((path) => path.isWellFormed(), 'must be well-formed text'),
);
const collectionsMax = 1_000;
export const CollectionPaths = z
  .array(CollectionPath)
  .check(z.maxLength(collectionsMax, `must have at most ${collectionsMax} entries`));
export const Collections = CollectionPaths.check(
  z.minLength(1, 'must name a collection, or be ["*"]'),
  z.refine((paths) => !paths.includes('*') || paths.length === 1, '* means all collections and must be the only entry'),
);
