import type { Databases } from './databases.ts';
import { documentMethods } from './documents/index.ts';
import { listen } from './listen/stream.ts';
import type { Methods } from './parts.ts';
import { queryMethods } from './query/index.ts';
import { writeMethods } from './write-methods.ts';

/** Every method of google.firestore.v1.Firestore that this server has. */
export function allMethods(databases: Databases): Methods {
  const queries = queryMethods(databases);
  return { ...documentMethods(databases, queries), ...queries, ...writeMethods(databases), Listen: listen(databases) };
}
