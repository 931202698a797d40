/**
 * The progress of one job reaches one endpoint in order. Its deliveries share a sequence, which sends one of them at a time, the lowest
 * percentage first; the end of the job is the last step. A step is overtaken once a later one was delivered.
 */
import type { EventName } from '../../contract/events/event-names.ts';
import { deliveryKeptSeconds } from '../../contract/limits.ts';
import { after, epochSeconds, type Item, iso, type Key, updateItem } from '../../platform/index.ts';
import type { WebhookDeliveryRecord, WebhookRecord } from './record.ts';
import { allowedEvents, subscribes } from './subscription.ts';

/**
 * Beside the deliveries, where their workers may write. Every step that has not ended is an attribute named by its rank, which can be
 * added and removed without reading the others. Its value is the time at which it was announced (`true` in earlier versions).
 */
export interface SequenceRecord extends Item {
  /** The highest percentage that was delivered. */
  readonly percent?: number;
  /** The time of the last delivered event that ended the job. A restore may be resumed after it. */
  readonly endedAt?: string;
  /** The step being sent, and the end of its lease. */
  readonly sending?: string;
  readonly claimedUntil?: string;
  readonly ttl: number;
}

export interface Step {
  readonly deliveryId: string;
  /** 101 for the end of the job. */
  readonly percent: number;
  /** Of the event. */
  readonly timestamp: string;
}

export interface SequenceStep extends Step {
  readonly sequence: Key<SequenceRecord>;
  /** Whether the job reported all its progress before this step. */
  readonly followsProgress: boolean;
}

type Sequenced = Pick<WebhookDeliveryRecord, 'pk' | 'id' | 'event' | 'roundStart' | 'replay' | 'isTest'>;

const endPercent = 101;
export const isEnd = ({ percent }: Pick<Step, 'percent'>): boolean => percent === endPercent;

/** The name of its attribute. Sorts by the percentage, then by the time. */
export const rank = ({ percent, timestamp, deliveryId }: Step): string =>
  `STEP_${String(percent).padStart(3, '0')}_${String(Date.parse(timestamp)).padStart(13, '0')}_${deliveryId}`;

const stepOfRank = (name: string): Step | undefined => {
  const [, percent, at, deliveryId] = /^STEP_(\d{3})_(\d{13})_(.+)$/.exec(name) ?? [];
  return deliveryId === undefined ? undefined : { percent: Number(percent), timestamp: iso(new Date(Number(at))), deliveryId };
};

/** The steps that have not ended, in order. */
export const stepsIn = (sequence: SequenceRecord | undefined): readonly Step[] =>
  Object.keys(sequence ?? {})
    .sort()
    .map(stepOfRank)
    .filter((step) => step !== undefined);

/** The events of a sequence, each with the event that reports the progress of its job. */
const progressOf: Readonly<Partial<Record<EventName, EventName>>> = {
  'backup.progress': 'backup.progress',
  'backup.completed': 'backup.progress',
  'backup.failed': 'backup.progress',
  'restore.progress': 'restore.progress',
  'restore.completed': 'restore.progress',
  'restore.failed': 'restore.progress',
};

interface JobEventData {
  readonly backup?: { readonly id: string; readonly trigger: string };
  readonly restore?: { readonly restoreJobId: string };
  readonly progress?: { readonly percent: number };
}

/** Triggers of backups that are complete when they are created, so that they have no progress. */
const withoutProgress = ['import', 'safety'];

/**
 * The step that a delivery is, if it is one. A replay has a sequence of its own, because it sends again what was delivered. What a
 * person sends again by hand, and a test, has none. Nor has the end of a job for a webhook that gets no progress.
 */
export const sequenceStepOf = (
  delivery: Sequenced,
  webhook: Pick<WebhookRecord, 'events' | 'format'>,
): SequenceStep | undefined => {
  const { pk, id: deliveryId, event, roundStart, replay, isTest } = delivery;
  const progressEvent = progressOf[event.type];
  const { backup, restore, progress } = event.data as JobEventData;
  const jobId = backup?.id ?? restore?.restoreJobId;
  if (!progressEvent || jobId === undefined || isTest || (roundStart > 0 && replay === undefined)) return undefined;
  const isProgress = progressEvent === event.type;
  if (!isProgress && !getsEvent(webhook, progressEvent)) return undefined;
  const percent = isProgress ? Math.floor(progress?.percent ?? 0) : endPercent;
  const isComplete = event.type.endsWith('.completed') && !withoutProgress.includes(backup?.trigger ?? '');
  return {
    sequence: { pk, sk: `PROGRESS#${replay === undefined ? '' : `${replay}#`}${jobId}` },
    deliveryId,
    percent,
    timestamp: event.timestamp,
    // A replay may be of some steps only, and a failed job stops anywhere.
    followsProgress: replay === undefined && (isProgress || isComplete),
  };
};

const getsEvent = ({ events, format }: Pick<WebhookRecord, 'events' | 'format'>, name: EventName): boolean =>
  allowedEvents(format).includes(name) && events.some((subscription) => subscribes(subscription, name));

/** What was delivered. A worker that let its lease end has crashed, so the endpoint may have got the step that it was sending. */
export const deliveredIn = (sequence: SequenceRecord | undefined, now: Date): Delivered => {
  const { percent, endedAt, sending, claimedUntil } = sequence ?? {};
  const lost = sending !== undefined && (claimedUntil ?? '') <= iso(now) ? stepOfRank(sending) : undefined;
  return lost ? withDelivered({ percent, endedAt }, lost) : { percent, endedAt };
};

export type Delivered = { readonly percent?: number | undefined; readonly endedAt?: string | undefined };

export const withDelivered = ({ percent = 0, endedAt }: Delivered, step: Step): Delivered =>
  isEnd(step)
    ? { percent, endedAt: endedAt !== undefined && endedAt > step.timestamp ? endedAt : step.timestamp }
    : { percent: Math.max(percent, step.percent), endedAt };

/** Only progress can be overtaken: by a higher percentage, or by the end of the job as it was then. */
export const isOvertaken = (step: Step, { percent = 0, endedAt }: Delivered): boolean =>
  !isEnd(step) && (percent > step.percent || (endedAt !== undefined && step.timestamp <= endedAt));

/** Events of one moment are matched in any order. A step waits so long for the one before it. */
const predecessorSeconds = 2;
const decile = 10;

/** Whether the step before this one, a tenth lower, is neither delivered nor known, although it may still be on its way. */
export const lacksPredecessor = (
  step: Step & { readonly followsProgress: boolean },
  sequence: SequenceRecord | undefined,
  { createdAt, now }: { readonly createdAt: string; readonly now: Date },
): boolean => {
  const before = Math.floor((step.percent - 1) / decile) * decile;
  if (!step.followsProgress || before < decile || iso(after(new Date(createdAt), predecessorSeconds)) <= iso(now)) return false;
  const known = stepsIn(sequence).filter(({ percent }) => percent < step.percent);
  return Math.max(sequence?.percent ?? 0, ...known.map(({ percent }) => percent)) < before;
};

/** Announces a step before its message is sent, so that no later one passes it. Does nothing for other deliveries. */
export const enterSequence = async (
  delivery: Sequenced,
  webhook: Pick<WebhookRecord, 'events' | 'format'>,
  now: Date,
): Promise<void> => {
  const step = sequenceStepOf(delivery, webhook);
  if (step)
    await updateItem({
      update: step.sequence,
      expression: 'SET #ttl = :ttl, #step = :announcedAt',
      names: { '#ttl': 'ttl', '#step': rank(step) },
      values: { ':ttl': sequenceTtl(now), ':announcedAt': iso(now) },
    });
};

/** A delivery follows the announcement of its step within milliseconds, unless its worker crashed. */
const creationSeconds = 10;

/** Whether the delivery of a step that has none may still be created. */
export const isBeingCreated = (step: Step, sequence: SequenceRecord, now: Date): boolean => {
  const announcedAt = sequence[rank(step)];
  return typeof announcedAt === 'string' && iso(after(new Date(announcedAt), creationSeconds)) > iso(now);
};

/** As long as its deliveries. */
export const sequenceTtl = (now: Date): number => epochSeconds(after(now, deliveryKeptSeconds));
