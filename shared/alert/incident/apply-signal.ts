/** Opens, counts and closes incidents. At most one incident of a kind and subject is open. */
import { ApiError } from '../../contract/errors.ts';
import { incidentKeptSeconds, reminderSeconds } from '../../contract/limits.ts';
import { severityOfKind } from '../../contract/models/alert-enums.ts';
import { enqueue } from '../../event/index.ts';
import { type OrganizationRecord, organizationKey, whileActive } from '../../organization/index.ts';
import {
  after,
  commit,
  create,
  derivedId,
  emitMetric,
  epochSeconds,
  get,
  idBounds,
  isConflict,
  iso,
  log,
  omitUndefined,
  remove,
  retryOnConflict,
  StaleReadError,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import { eventsOfEntries } from '../model/events-of-entries.ts';
import { changeIncident, isMuted } from '../model/incident-timeline.ts';
import { alertKey, type IncidentRecord, type LockFailures, type StoredIncidentEntry } from '../model/record.ts';
import { type FailureSignal, type RecoverySignal, type Signal, titleOf } from './signal.ts';

/**
 * Idempotent: a repeated signal changes nothing. The event of a change and its message, as a task, are part of its transaction. A signal
 * of a deleted organization is dropped.
 */
export const applySignal = async (tenant: Tenant, signal: Signal, now: Date): Promise<void> => {
  try {
    await retryOnConflict({ attempts: 8, isRetryable }, async () => {
      const incident = await openIncident(tenant, signal);
      const writes =
        signal.state === 'failed'
          ? await failureWrites(tenant, { incident, signal, now })
          : await recoveryWrites(tenant, { incident, signal, now });
      if (writes.length > 0) await commit([...writes, whileActive(tenant)]);
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'ORGANIZATION_NOT_FOUND')) throw error;
    log.info('incident signal dropped: the organization was deleted', { kind: signal.kind });
  }
};

const isRetryable = (error: unknown): boolean => error instanceof StaleReadError || isConflict(error);

const subjectIdOf = (signal: Signal): string => (signal.state === 'failed' ? signal.subject.id : signal.subjectId);

const openIncident = async (tenant: Tenant, signal: Signal): Promise<IncidentRecord | undefined> => {
  const open = await get(alertKey.open(tenant, signal.kind, subjectIdOf(signal)));
  return open && (await get(alertKey.incident(tenant, open.incidentId)));
};

const failureWrites = async (
  tenant: Tenant,
  {
    incident,
    signal,
    now,
  }: { readonly incident: IncidentRecord | undefined; readonly signal: FailureSignal; readonly now: Date },
): Promise<readonly Write[]> => (incident ? countFailure(tenant, { incident, signal, now }) : openNew(tenant, signal, now));

/** The id follows from the failure, so that a late duplicate of its signal does not open an incident that has recovered since. */
const openNew = async (tenant: Tenant, signal: FailureSignal, now: Date): Promise<readonly Write[]> => {
  const { kind, subject, project, message, facts, page, at, source, scheduleId, coveredBy, locks } = signal;
  const moment = new Date(at);
  const id = derivedId('incident', idBounds('incident', moment, moment).first, `${source}\n${kind}\n${subject.id}`);
  const key = alertKey.incident(tenant, id);
  if (await get(key)) return [];
  const incident: IncidentRecord = {
    ...key,
    id,
    kind,
    severity: severityOfKind[kind],
    status: 'open',
    title: titleOf(signal),
    failure: message,
    message,
    subject,
    project,
    ...omitUndefined({ scheduleId, coveredBy, locks }),
    facts,
    page,
    count: 1,
    sources: [source],
    openedAt: at,
    lastFailureAt: at,
    recoveredAt: null,
    remindedAt: iso(now),
    reminders: 0,
    alertIds: [],
    timeline: [{ at, type: 'opened', by: null, message }, ...findingEntries(signal)],
  };
  emitMetric('incident opened', { IncidentsOpened: 1 });
  const { timeline: entries = [] } = incident;
  return [
    create(incident, stale),
    create({ ...alertKey.open(tenant, kind, subject.id), incidentId: id }, stale),
    enqueue(tenant, { kind: 'notify-incident', incidentId: id }, now),
    ...eventsOfEntries(tenant, { organization: await readOrganization(tenant), incident, entries, now }),
  ];
};

const listedFindings = 10;

const findingEntries = ({ at, findings = [] }: FailureSignal): readonly StoredIncidentEntry[] =>
  findings.slice(0, listedFindings).map((message) => ({ at, type: 'finding', by: null, message }));

/** Failures that are remembered, to recognize a repeated signal. */
const sourcesMax = 20;

/** Further failures are silent, except for a reminder once a day, and for news. */
const countFailure = (
  tenant: Tenant,
  { incident, signal, now }: { readonly incident: IncidentRecord; readonly signal: FailureSignal; readonly now: Date },
): readonly Write[] => {
  const { id, count, sources, lastFailureAt, remindedAt, reminders } = incident;
  if (sources.includes(signal.source)) return [];
  const isDue = signal.isNews || Date.parse(remindedAt) + reminderSeconds * 1_000 <= now.getTime();
  const isReminder = isDue && !isMuted(incident, iso(now));
  const isLatest = signal.at >= lastFailureAt;
  // This failure is reported by no other incident, so alerts are chosen anew: those that were spared get the opening now.
  const isUncovered = incident.coveredBy !== undefined && signal.coveredBy === undefined;
  const { message, facts, page, scheduleId } = signal;
  const attributes = {
    count: count + 1,
    sources: [...sources, signal.source].slice(-sourcesMax),
    ...(isLatest && { lastFailureAt: signal.at, failure: message, message, facts, page, scheduleId }),
    ...(isUncovered && { coveredBy: undefined, isTold: undefined }),
    ...(signal.locks && { locks: addLocks(incident.locks, signal.locks) }),
    ...(isReminder && { remindedAt: iso(now), reminders: reminders + 1 }),
  };
  const entries = [
    { at: signal.at, type: 'failed_again', by: null, message },
    ...findingEntries(signal),
    ...(isReminder ? [{ at: iso(now), type: 'reminded', by: null, message: null } as const] : []),
  ] as const;
  return [
    changeIncident(tenant, incident, { ...attributes, entries }).write,
    ...(isReminder || isUncovered ? [enqueue(tenant, { kind: 'notify-incident', incidentId: id }, now)] : []),
  ];
};

const foundMax = 1_000;

const addLocks = (before: LockFailures | undefined, { found, last }: LockFailures): LockFailures => {
  const isNewer = last && (before?.last?.completedAt ?? '') <= last.completedAt;
  return omitUndefined({
    found: [...new Set([...(before?.found ?? []), ...found])].slice(-foundMax),
    last: isNewer ? last : before?.last,
  });
};

const stale = () => new StaleReadError();

/** Events name the organization. Throws ORGANIZATION_NOT_FOUND. */
const readOrganization = async (tenant: Tenant): Promise<OrganizationRecord> => {
  const organization = await get(organizationKey.organization(tenant));
  if (!organization) throw new ApiError('ORGANIZATION_NOT_FOUND', 'Organization not found');
  return organization;
};

/** Closes the incident, unless it has failed since. */
const recoveryWrites = async (
  tenant: Tenant,
  {
    incident,
    signal,
    now,
  }: { readonly incident: IncidentRecord | undefined; readonly signal: RecoverySignal; readonly now: Date },
): Promise<readonly Write[]> => {
  if (!incident || signal.at < incident.lastFailureAt || isOfOtherSchedule(incident, signal)) return [];
  const { id, kind, subject } = incident;
  const { at, message } = signal;
  const entries = [{ at, type: 'recovered', by: null, message }] as const;
  const ended = changeIncident(tenant, incident, {
    status: 'recovered',
    recoveredAt: at,
    message,
    mutedUntil: undefined,
    ttl: epochSeconds(after(now, incidentKeptSeconds)),
    entries,
  });
  return [
    remove(alertKey.open(tenant, kind, subject.id), stale, { incidentId: id }),
    ended.write,
    enqueue(tenant, { kind: 'notify-incident', incidentId: id }, now),
    ...eventsOfEntries(tenant, { organization: await readOrganization(tenant), incident: ended.incident, entries, now }),
  ];
};

/** A run of one schedule says nothing about another that fails, such as one with another destination. */
const isOfOtherSchedule = (incident: IncidentRecord, signal: RecoverySignal): boolean =>
  incident.scheduleId !== undefined && signal.scheduleId !== undefined && incident.scheduleId !== signal.scheduleId;
