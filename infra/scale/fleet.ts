/** What all jobs of a deployment together may do at once, and which quota each comes closest to. */
import * as code from './code.ts';
import { assumed, measured } from './measured.ts';
import { quota } from './quota.ts';

export interface Shared {
  readonly what: string;
  readonly used: number;
  readonly most: number;
  readonly unit: string;
  /** How it was reckoned. */
  readonly because: string;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const { fast } = measured.streamPerSecond;
const { stepConcurrency, queues } = code;
const reserved = sum(Object.values(stepConcurrency));
const ofQueues = sum(code.queueNames.map((name) => queues[name].concurrencyMax));
const copies = stepConcurrency.backupCopy;
/** Of the job's and the shard's record, in one transaction. */
const together = 2 * (assumed.jobRecordKilobytes + assumed.shardRecordKilobytes);
const deliveries = queues.delivery.concurrencyMax * queues.delivery.batchSize;

/** Everything that a worst minute could ask for, beside what AWS gives. */
export const sharedByAll: readonly Shared[] = [
  {
    what: 'functions at once, the API not counted',
    used: reserved + ofQueues,
    most: quota.lambdaConcurrency,
    unit: 'functions',
    because: `${reserved} are reserved for steps of workflows, ${ofQueues} are what queues may start; the API has the rest`,
  },
  {
    what: 'writes to one organization’s partition of the table',
    used: Math.ceil((copies / (code.reportIntervalMs / 1_000)) * together),
    most: quota.partitionWriteUnits,
    unit: 'units a second',
    because: `all ${copies} copies are its own, and each tells every ${code.reportIntervalMs / 1_000} s`,
  },
  {
    what: 'reads of it',
    used: Math.ceil(copies / (code.checkIntervalMs / 1_000)),
    most: quota.partitionReadUnits,
    unit: 'units a second',
    because: `each looks every ${code.checkIntervalMs / 1_000} s whether its job still runs`,
  },
  {
    what: 'transitions of workflows',
    used: Math.ceil((copies * fast * 4) / code.usualDocumentsPerRange),
    most: quota.stateTransitionsPerSecond,
    unit: 'a second',
    because: 'four for each range, when all copies run at the pace of the fastest source',
  },
  {
    what: 'writes to one folder of a customer’s bucket',
    used: Math.ceil((code.copiesMax * fast * measured.storedBytes) / code.uploadPartBytes),
    most: quota.bucketPuts,
    unit: 'a second',
    because: 'the copies of one backup, of the fastest source',
  },
  {
    what: 'calls of KMS',
    used: Math.ceil((copies * fast) / code.usualDocumentsPerRange + deliveries),
    most: quota.kmsRequestsPerSecond,
    unit: 'a second',
    because: 'one for each range; and all deliveries under way to webhooks that no function remembers the secret of',
  },
  {
    what: 'entries of the Scheduler',
    used: code.schedulesPerOrganization * 1_000,
    most: quota.schedulerEntries,
    unit: 'entries',
    because: `a thousand organizations with ${code.schedulesPerOrganization} schedules each`,
  },
];

/** How many of each run at their full width; more run as well, and take turns. */
export const atFullWidth: readonly (readonly [what: string, count: number, because: string])[] = [
  ['backups', Math.floor(copies / code.copiesMax), `${copies} copies, ${code.copiesMax} for each`],
  [
    'restores',
    Math.floor(stepConcurrency.restoreWrite / code.lanesMax),
    `${stepConcurrency.restoreWrite} writers, ${code.lanesMax} for each`,
  ],
  ['verifications', stepConcurrency.backupVerify, 'one function each'],
  ['projects whose changes are captured', queues.capture.concurrencyMax, 'one function each, for as long as it is there'],
  ['webhook requests under way, quick lane', deliveries, 'ten for each function'],
];
