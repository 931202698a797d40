import { FirestoreDatabase, type SourceRetryPolicy } from '../firestore/index.ts';
import { env, randomFraction, type Tenant } from '../platform/index.ts';
import { editionOf } from './read-price.ts';
import type { ProjectRecord } from './record.ts';
import { sourceToken } from './source-token.ts';

/** Opens the project's database with the project's connection. The caller closes it. */
export const openSource = (
  tenant: Tenant,
  project: Pick<ProjectRecord, 'id' | 'sourceProjectId' | 'databaseId' | 'connection' | 'database'>,
  patience: Partial<SourceRetryPolicy> = {},
): FirestoreDatabase =>
  new FirestoreDatabase({
    endpoint: env('FIRESTORE_URL'),
    projectId: project.sourceProjectId,
    databaseId: project.databaseId,
    edition: editionOf(project),
    token: sourceToken(tenant, project),
    random: randomFraction,
    retryPolicy: patience,
  });
