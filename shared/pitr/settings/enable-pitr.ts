/** Enables point-in-time recovery, for the first time or again. */
import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { pitrEvents } from '../../contract/event-data/pitr-events.ts';
import { countScheduledUse, type DestinationRecord } from '../../destination/index.ts';
import { emit, enqueue } from '../../event/index.ts';
import { type CallerContext, organizationRef, whileActive } from '../../organization/index.ts';
import { after, type Change, check, create, iso, StaleReadError, set, type Write } from '../../platform/index.ts';
import { type ProjectRecord, projectData, projectKey, whileNotMoving } from '../../project/index.ts';
import { type CapturingRecord, type PitrRecord, pitrKey } from '../model/record.ts';
import { withGaps } from '../timeline/gaps.ts';
import { pitrData } from '../view/pitr-view.ts';
import { keptAfter } from './capture-retention.ts';

export interface PitrSettings {
  readonly retentionDays: number;
  readonly captureIntervalSeconds: number;
  readonly precision: PitrRecord['precision'];
  readonly auditDays: number;
}

const initialFields = {
  bases: [],
  comingBaseId: null,
  baseTriedAt: null,
  baseFailures: 0,
  gaps: [],
  capturedTo: null,
  keptFrom: null,
  listedAt: null,
  turn: 0,
  lastCapture: null,
  changesCaptured: 0,
  reads: 0,
} as const satisfies Partial<PitrRecord>;

/** Captures from before it was disabled stay; the time between is a gap. */
export const enablePitr = (
  { tenant, organization, actor }: CallerContext,
  {
    context: { project, destination, before },
    options: { retentionDays, captureIntervalSeconds, precision, auditDays },
    now,
  }: { readonly context: EnableContext; readonly options: PitrSettings; readonly now: Date },
): { pitr: PitrRecord; change: Change } => {
  if (before && before.status !== 'disabled')
    throw new ApiError('CONFLICT', 'Point-in-time recovery of this project is already enabled');
  if (project.database?.state === 'known' && !project.database.realtimeUpdates)
    throw new ApiError('CONFLICT', 'The database has real-time updates disabled, which changes are captured with', {
      reason: 'realtimeUpdatesMode of the database is REALTIME_UPDATES_MODE_DISABLED',
    });
  const known = before ?? initialFields;
  const { id: projectId } = project;
  const between = { from: known.capturedTo ?? '', to: null, reason: 'point-in-time recovery was disabled' };
  const pitr: PitrRecord = {
    ...known,
    ...pitrKey.pitr(tenant, projectId),
    projectId,
    retentionDays,
    captureIntervalSeconds,
    precision,
    auditDays,
    keptDays: keptAfter(before, retentionDays, now),
    status: 'starting',
    storageDestination: { id: destination.id, name: destination.name, type: destination.type },
    enabledAt: iso(now),
    gaps: known.capturedTo === null ? known.gaps : withGaps(known.gaps, between),
    comingBaseId: null,
    baseTriedAt: null,
    baseFailures: 0,
    losses: undefined,
    putOffs: undefined,
    trouble: undefined,
    isTooLarge: undefined,
    turn: known.turn + 1,
    nextTurnAt: iso(now),
    createdBy: actor,
  };
  const shown: ProjectRecord = { ...project, pitr: { enabled: true, retentionDays, captureIntervalSeconds } };
  const capturing: CapturingRecord = {
    ...pitrKey.capturing(tenant, projectId),
    organizationId: tenant.organizationId,
    projectId,
    forgetAt: iso(after(now, expireEverySeconds)),
  };
  const event = { organization: organizationRef(organization), project: projectData(shown), pitr: pitrData(pitr, now) };
  const details = { retentionDays, captureIntervalSeconds, precision, auditDays, storageDestinationId: destination.id };
  return {
    pitr,
    change: {
      writes: [
        whileActive(tenant),
        whileNotMoving(tenant, projectId),
        countScheduledUse(tenant, destination.id),
        before ? { put: pitr, ...unchangedSince(before) } : create(pitr, () => new StaleReadError()),
        set(projectKey.project(tenant, projectId), { pitr: shown.pitr, updatedAt: iso(now) }),
        { put: capturing },
        emit(tenant, { schemas: pitrEvents, name: 'pitr.enabled', data: event, now }),
        enqueue(tenant, { kind: 'capture', projectId, turn: pitr.turn }, now),
      ],
      audit: [auditNote(tenant, { type: 'project', id: projectId, details })],
    },
  };
};

interface EnableContext {
  readonly project: ProjectRecord;
  readonly destination: DestinationRecord;
  readonly before: PitrRecord | undefined;
}

export const expireEverySeconds = 24 * 3_600;

/** The record must be as it was read: captures that expire meanwhile must not be offered again. */
const unchangedSince = ({ turn, keptFrom, bases, ...before }: PitrRecord): Pick<Write, 'condition' | 'names' | 'values'> => {
  const { check: _key, ...unchanged } = check(before, { turn, keptFrom, bases }, () => new StaleReadError());
  return unchanged;
};
