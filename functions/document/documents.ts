/** Finds documents. Apart from functions/api, because it opens buckets, databases and captured changes. */
import { documents } from '../../shared/contract/endpoints/documents.ts';
import { listDeleted, locateDocument } from '../../shared/document/index.ts';
import { handle } from '../../shared/http/index.ts';
import { readProject } from '../../shared/project/index.ts';

export const locate = handle(documents.locate, (call) => locateDocument(call));

export const deleted = handle(documents.deleted, async ({ tenant, query }) =>
  listDeleted(tenant, { project: await readProject(tenant, query.projectId) }),
);
