/**
 * Simulated Firestore permissions. Like an emulator, the stage accepts any token or none. Two kinds of project ids are refused,
 * so that error handling can be tried:
 * - `denied…`: the project exists, but the caller has no permission
 * - `missing…`: the project has no database
 */

import { RpcError } from '../engines/firestore/base/types.ts';
import type { Authorize } from '../engines/firestore/index.ts';

export const checkSimulatedRefusal: Authorize = (_token, projectId) => {
  if (projectId.startsWith('denied')) throw new RpcError('PERMISSION_DENIED', 'Missing or insufficient permissions.');
  if (projectId.startsWith('missing'))
    throw new RpcError(
      'NOT_FOUND',
      `The database (default) does not exist for project ${projectId} Please visit https://console.cloud.google.com/datastore/setup?project=${projectId} to add a Cloud Datastore or Cloud Firestore database. `,
    );
};
