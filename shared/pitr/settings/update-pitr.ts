/** Changing how a project is captured, and stopping it. */
import { retentionNote } from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { emit, enqueue } from '../../event/index.ts';
import { type CallerContext, organizationRef } from '../../organization/index.ts';
import { type Change, iso, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { type ProjectRecord, projectData, projectKey } from '../../project/index.ts';
import { type PitrRecord, pitrKey } from '../model/record.ts';
import { dropTokens } from '../model/resume-token-items.ts';
import { pitrData } from '../view/pitr-view.ts';
import { keptAfter } from './capture-retention.ts';
import type { PitrSettings } from './enable-pitr.ts';

type Given = { readonly [K in keyof PitrSettings]?: PitrSettings[K] | undefined };

const enabled = (pitr: PitrRecord | undefined): PitrRecord => {
  if (!pitr || pitr.status === 'disabled')
    throw new ApiError('CONFLICT', 'Point-in-time recovery of this project is not enabled');
  return pitr;
};

/** Begins a turn at once: one that is under way finds that it is no longer its turn. */
const turnedTo = (tenant: Tenant, pitr: PitrRecord, changed: PitrRecord, attributes: Partial<PitrRecord>): Write =>
  set(
    pitrKey.pitr(tenant, pitr.projectId),
    { ...attributes, turn: changed.turn, nextTurnAt: changed.nextTurnAt },
    { expected: { turn: pitr.turn, status: pitr.status }, onConditionFailed: () => new StaleReadError() },
  );

/** Only what is given changes; a call that gives nothing changes nothing. */
export const updatePitr = (
  { tenant }: CallerContext,
  project: ProjectRecord,
  before: PitrRecord | undefined,
  given: Given,
  now: Date,
): { pitr: PitrRecord; change: Change } => {
  const pitr = enabled(before);
  const { retentionDays, captureIntervalSeconds, precision } = { ...pitr, ...defined(given) };
  const keptDays = keptAfter(pitr, retentionDays, now);
  const attributes = { retentionDays, captureIntervalSeconds, precision, keptDays };
  if (Object.keys(defined(given)).length === 0) return { pitr, change: { writes: [], audit: [] } };
  const changed: PitrRecord = { ...pitr, ...attributes, turn: pitr.turn + 1, nextTurnAt: iso(now) };
  const shown = { enabled: true, retentionDays, captureIntervalSeconds };
  return {
    pitr: changed,
    change: {
      writes: [
        turnedTo(tenant, pitr, changed, attributes),
        set(projectKey.project(tenant, project.id), { pitr: shown, updatedAt: iso(now) }),
        enqueue(tenant, { kind: 'capture', projectId: project.id, turn: changed.turn }, now),
      ],
      audit: [{ scope: tenant.organizationId, resource: { type: 'project', id: project.id }, details: { ...defined(given) } }],
    },
  };
};

const defined = (given: Given): Partial<PitrSettings> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

/** What was captured stays restorable for as long as it was to be kept. */
export const disablePitr = (
  acting: CallerContext,
  project: ProjectRecord,
  before: PitrRecord | undefined,
  now: Date,
): { pitr: PitrRecord; change: Change } => {
  const { pitr, writes } = endCapture(acting, project, enabled(before), now);
  const { tenant } = acting;
  return {
    pitr,
    change: {
      writes: [...writes, set(projectKey.project(tenant, project.id), { pitr: { enabled: false }, updatedAt: iso(now) })],
      audit: [{ scope: tenant.organizationId, resource: { type: 'project', id: project.id } }],
    },
  };
};

/** Beside what the project itself is told: it may be on its way out. */
const endCapture = (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  project: ProjectRecord,
  before: PitrRecord,
  now: Date,
): { pitr: PitrRecord; writes: readonly Write[] } => {
  const ended = { status: 'disabled', enabledAt: null, comingBaseId: null } as const;
  const pitr: PitrRecord = { ...before, ...ended, turn: before.turn + 1, nextTurnAt: null };
  const shown = projectData({ ...project, pitr: { enabled: false } });
  return {
    pitr,
    writes: [
      turnedTo(tenant, before, pitr, ended),
      ...dropTokens(tenant, before),
      ...(before.comingBaseId === null ? [] : [retentionNote(tenant, now)]),
      emit(
        tenant,
        'pitr.disabled',
        { organization: organizationRef(organization), project: shown, pitr: pitrData(pitr, now) },
        now,
      ),
    ],
  };
};

/** Belongs in the transaction that deletes a project: what was captured goes with it, enabled or not, by the task. */
export const endWithProject = (
  acting: Pick<CallerContext, 'tenant' | 'organization'>,
  project: ProjectRecord,
  pitr: PitrRecord | undefined,
  now: Date,
): readonly Write[] => {
  const { tenant } = acting;
  if (!pitr)
    return [{ check: pitrKey.pitr(tenant, project.id), condition: 'attribute_not_exists(pk)', onConditionFailed: overtaken }];
  return [
    ...(pitr.status === 'disabled' ? [] : endCapture(acting, project, pitr, now).writes),
    enqueue(tenant, { kind: 'forget-captures', projectId: project.id }, now),
  ];
};

/** It was enabled at the same moment. */
const overtaken = (): StaleReadError => new StaleReadError();
