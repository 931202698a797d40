/** Changes the settings of point-in-time recovery, and disables it. */
import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { pitrEvents } from '../../contract/event-data/pitr-events.ts';
import { emit, enqueue } from '../../event/index.ts';
import { type CallerContext, organizationRef } from '../../organization/index.ts';
import { type Change, iso, omitUndefined, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { type ProjectRecord, projectData, projectKey } from '../../project/index.ts';
import { markRetentionDue } from '../../stored-backup/index.ts';
import { type PitrRecord, pitrKey } from '../model/record.ts';
import { dropTokens } from '../model/resume-token-items.ts';
import { pitrData } from '../view/pitr-view.ts';
import { keptAfter } from './capture-retention.ts';
import type { PitrSettings } from './enable-pitr.ts';

type Given = { readonly [K in keyof PitrSettings]?: PitrSettings[K] | undefined };

const assertEnabled = (pitr: PitrRecord | undefined): PitrRecord => {
  if (!pitr || pitr.status === 'disabled')
    throw new ApiError('CONFLICT', 'Point-in-time recovery of this project is not enabled');
  return pitr;
};

/** Starts a new cycle at once: a running one cannot commit any more. */
const advanceCycle = (
  tenant: Tenant,
  {
    pitr,
    changed,
    attributes,
  }: { readonly pitr: PitrRecord; readonly changed: PitrRecord; readonly attributes: Partial<PitrRecord> },
): Write =>
  set(
    pitrKey.pitr(tenant, pitr.projectId),
    { ...attributes, turn: changed.turn, nextTurnAt: changed.nextTurnAt },
    { expected: { turn: pitr.turn, status: pitr.status }, onConditionFailed: () => new StaleReadError() },
  );

/** Only the given settings change; a call that gives none changes nothing. */
export const updatePitr = (
  { tenant }: CallerContext,
  {
    project,
    before,
    given,
    now,
  }: { readonly project: ProjectRecord; readonly before: PitrRecord | undefined; readonly given: Given; readonly now: Date },
): { pitr: PitrRecord; change: Change } => {
  const pitr = assertEnabled(before);
  const details = omitUndefined(given);
  const { retentionDays, captureIntervalSeconds, precision, auditDays } = { ...pitr, ...details };
  const keptDays = keptAfter(pitr, retentionDays, now);
  const attributes = { retentionDays, captureIntervalSeconds, precision, auditDays, keptDays };
  if (Object.keys(details).length === 0) return { pitr, change: { writes: [], audit: [] } };
  const audit = [auditNote(tenant, { type: 'project', id: project.id, details })];
  // The audit has its own worker: captures go on.
  if (Object.keys(details).every((name) => name === 'auditDays'))
    return { pitr: { ...pitr, auditDays }, change: { writes: [auditDaysWrite(tenant, pitr, auditDays)], audit } };
  const changed: PitrRecord = { ...pitr, ...attributes, turn: pitr.turn + 1, nextTurnAt: iso(now) };
  const shown = { enabled: true, retentionDays, captureIntervalSeconds };
  return {
    pitr: changed,
    change: {
      writes: [
        advanceCycle(tenant, { pitr, changed, attributes }),
        set(projectKey.project(tenant, project.id), { pitr: shown, updatedAt: iso(now) }),
        enqueue(tenant, { kind: 'capture', projectId: project.id, turn: changed.turn }, now),
      ],
      audit,
    },
  };
};

const auditDaysWrite = (tenant: Tenant, { projectId, status }: PitrRecord, auditDays: number | undefined): Write =>
  set(pitrKey.pitr(tenant, projectId), { auditDays }, { expected: { status }, onConditionFailed: () => new StaleReadError() });

/** Captured changes stay restorable until their retention ends. */
export const disablePitr = (
  caller: CallerContext,
  { project, before, now }: { readonly project: ProjectRecord; readonly before: PitrRecord | undefined; readonly now: Date },
): { pitr: PitrRecord; change: Change } => {
  const { pitr, writes } = endCapture(caller, { project, before: assertEnabled(before), now });
  const { tenant } = caller;
  return {
    pitr,
    change: {
      writes: [...writes, set(projectKey.project(tenant, project.id), { pitr: { enabled: false }, updatedAt: iso(now) })],
      audit: [auditNote(tenant, { type: 'project', id: project.id })],
    },
  };
};

/** Does not write the project, which may be about to be deleted. */
const endCapture = (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  { project, before, now }: { readonly project: ProjectRecord; readonly before: PitrRecord; readonly now: Date },
): { pitr: PitrRecord; writes: readonly Write[] } => {
  const ended = { status: 'disabled', enabledAt: null, comingBaseId: null } as const;
  const pitr: PitrRecord = { ...before, ...ended, turn: before.turn + 1, nextTurnAt: null };
  const shown = projectData({ ...project, pitr: { enabled: false } });
  return {
    pitr,
    writes: [
      advanceCycle(tenant, { pitr: before, changed: pitr, attributes: ended }),
      ...dropTokens(tenant, before),
      ...(before.comingBaseId === null ? [] : [markRetentionDue(tenant, now)]),
      emit(tenant, {
        schemas: pitrEvents,
        name: 'pitr.disabled',
        data: { organization: organizationRef(organization), project: shown, pitr: pitrData(pitr, now) },
        now,
      }),
    ],
  };
};

/** Belongs in the transaction that deletes a project. A task deletes its captures, enabled or not. */
export const endWithProject = (
  caller: Pick<CallerContext, 'tenant' | 'organization'>,
  { project, pitr, now }: { readonly project: ProjectRecord; readonly pitr: PitrRecord | undefined; readonly now: Date },
): readonly Write[] => {
  const { tenant } = caller;
  if (!pitr) {
    // It may be enabled concurrently.
    const onConditionFailed = (): StaleReadError => new StaleReadError();
    return [{ check: pitrKey.pitr(tenant, project.id), condition: 'attribute_not_exists(pk)', onConditionFailed }];
  }
  return [
    ...(pitr.status === 'disabled' ? [] : endCapture(caller, { project, before: pitr, now }).writes),
    enqueue(tenant, { kind: 'expire-captures', projectId: project.id }, now),
  ];
};
