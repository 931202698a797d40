/**
 * Who may read the stage's Firestore: everyone, with any token or none, as emulators have it. Two kinds of source projects
 * are as one meets them at Google, so that anybody can see from outside what a refusal does:
 * - ids that begin with `denied`: there is such a project, and the caller may not read it
 * - ids that begin with `missing`: there is no database
 */

import { RpcError } from '../engines/firestore/base/types.ts';
import type { Authorize } from '../engines/firestore/index.ts';

export const guardSource: Authorize = (_token, projectId) => {
  if (projectId.startsWith('denied')) throw new RpcError('PERMISSION_DENIED', 'Missing or insufficient permissions.');
  if (projectId.startsWith('missing'))
    throw new RpcError(
      'NOT_FOUND',
      `The database (default) does not exist for project ${projectId} Please visit https://console.cloud.google.com/datastore/setup?project=${projectId} to add a Cloud Datastore or Cloud Firestore database. `,
    );
};
