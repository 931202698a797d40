import { erasures as rows } from '../../shared/contract/endpoints/protection/erasures.ts';
import { isId } from '../../shared/contract/ids.ts';
import { checkErasureInput, createErasure, erasureData, listErasures, readErasure } from '../../shared/erasure/index.ts';
import { handle } from '../../shared/http/index.ts';
import { get as getItem, newId, type Tenant } from '../../shared/platform/index.ts';
import { projectKey, projectNotFound } from '../../shared/project/index.ts';
import { listBackups, previewErasure } from '../../shared/stored-backup/index.ts';

/** Backups outlive their project, and so does the right to erasure: a disconnected project counts while it has backups. */
const assertProject = async (tenant: Tenant, projectId: string, now: Date): Promise<void> => {
  if (!isId('project', projectId)) throw projectNotFound();
  if (await getItem(projectKey.project(tenant, projectId))) return;
  const { backups } = await listBackups(tenant, { filter: { projectId }, page: { limit: 1, after: undefined }, now });
  if (backups.length === 0) throw projectNotFound();
};

export const create = handle(
  rows.create,
  async ({ tenant, actor, params, body, now }) => {
    await assertProject(tenant, params.projectId, now);
    const input = { tenant, projectId: params.projectId, actor, id: newId('erasure', now), now };
    const { erasure, ledger, change } = await createErasure(input, body);
    return { data: erasureData(erasure, ledger), change };
  },
  { check: checkErasureInput },
);

export const preview = handle(
  rows.preview,
  async ({ tenant, params: { projectId }, body: input, now }) => {
    await assertProject(tenant, projectId, now);
    const { data, audit } = await previewErasure({ tenant, projectId, input });
    return { data, change: { writes: [], audit } };
  },
  { check: checkErasureInput },
);

export const list = handle(rows.list, async ({ tenant, params, page, now }) => {
  await assertProject(tenant, params.projectId, now);
  const { erasures, ledger, next } = await listErasures(tenant, params.projectId, page);
  return { items: erasures.map((erasure) => erasureData(erasure, ledger)), next };
});

export const get = handle(rows.get, async ({ tenant, params, now }) => {
  await assertProject(tenant, params.projectId, now);
  const { erasure, ledger } = await readErasure(tenant, params.projectId, params.erasureId);
  return { data: erasureData(erasure, ledger) };
});
