/** Checks the settings of a plan beyond the request schema. */
import { checkAll, invalid } from '../../contract/errors.ts';
import { webhookSecretMin } from '../../contract/limits.ts';
import { isMasked, type Tenant, type Write } from '../../platform/index.ts';
import { databaseOf, readProject, whileConnected } from '../../project/index.ts';
import { parseCron } from '../../recurring/index.ts';
import { checkUrl, checkUrlText, keyBytes } from '../../webhook/index.ts';
import type { CheckInput } from '../model/check-secrets.ts';
import type { RestoreTestRecord } from '../model/record.ts';

/** What a caller can choose. */
export interface PlanInput
  extends Pick<RestoreTestRecord, 'name' | 'projectId' | 'cron' | 'timezone' | 'backup' | 'scope' | 'target' | 'enabled'> {
  readonly check: CheckInput | null;
}
export type GivenInput = { readonly [K in keyof PlanInput]?: PlanInput[K] | undefined };

/** Throws VALIDATION_ERROR for all invalid fields. Makes no calls. */
export const checkPlanInput = ({ cron, check, projectId, target }: GivenInput): void =>
  checkAll(
    () => cron !== undefined && parseCron(cron),
    () => check && renamed(() => checkUrlText(check.url)),
    () => {
      const { secret } = check ?? {};
      if (secret === undefined) return;
      if (isMasked(secret)) throw invalid('check.secret', 'is the masked value; send the actual secret');
      if (keyBytes(secret) < webhookSecretMin)
        throw invalid(
          'check.secret',
          `must have at least ${webhookSecretMin} bytes of key; the base64 text after whsec_ is decoded`,
        );
    },
    () => {
      if (target && projectId && target.projectId === projectId)
        throw invalid('target.projectId', 'must be another project than the one that is tested');
    },
    () => {
      if (check && target === null) throw invalid('check', 'needs a target: without one there is no restored data to check');
    },
  );

/** The checks of a URL name the field `url`. */
const renamed = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw withCheckField(error);
  }
};

const withCheckField = (error: unknown): unknown => {
  const { details } = error as { details?: { field?: unknown; reason?: unknown } };
  return details?.field === 'url' ? invalid('check.url', String(details.reason)) : error;
};

/** The checks that need DNS or the table; returns conditions for the transaction. */
export const checkAddressAndTarget = async (
  tenant: Tenant,
  { projectId, target, check }: Pick<PlanInput, 'projectId' | 'target'> & { readonly check?: CheckInput | null | undefined },
): Promise<readonly Write[]> => {
  const project = projectId === null ? undefined : await readProject(tenant, projectId);
  const into = target ? await readProject(tenant, target.projectId) : undefined;
  if (project && into && databaseOf(project) === databaseOf(into))
    throw invalid('target.projectId', 'must not be connected to the database that is tested');
  if (check)
    await checkUrl(check.url).catch((error: unknown) => {
      throw withCheckField(error);
    });
  return [project, into].flatMap((found) => (found ? [whileConnected(tenant, found.id)] : []));
};
