import { type Method, type Methods, RpcError } from './base/types.ts';
import { documentMethods } from './documents/index.ts';
import { listen } from './listen/listen-stream.ts';
import { queryMethods } from './query/index.ts';
import type { Databases } from './storage/databases.ts';
import { commitMethods } from './write/commit-methods.ts';

/** All methods of google.firestore.v1.Firestore that this server supports. */
export function rpcMethods(databases: Databases): Methods {
  const queries = queryMethods(databases);
  return {
    ...documentMethods(databases, queries),
    ...queries,
    ...commitMethods(databases),
    Listen: listen(databases),
    ExecutePipeline: executePipeline,
  };
}

/** Pipelines require the Enterprise edition; a Standard database answers with this error. */
const executePipeline: Method = {
  kind: 'server-stream',
  run: () => {
    throw new RpcError(
      'FAILED_PRECONDITION',
      'Pipeline Operations are only available for Firestore databases in Enterprise edition.\n\n' +
        'Please switch to an Enterprise edition database to take advantage of such functionality.',
    );
  },
};
