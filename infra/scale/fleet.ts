/** The combined load of all jobs of a deployment against the quotas. */
import * as code from './code.ts';
import { checkpointWriteUnits, measured } from './measured.ts';
import { quota } from './quota.ts';

interface FleetLoad {
  readonly what: string;
  readonly used: number;
  readonly most: number;
  readonly unit: string;
  readonly because: string;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const { fast } = measured.streamPerSecond;
const { stepConcurrency, workQueueSpecs } = code;
const reserved = sum(Object.values(stepConcurrency));
const ofQueues = sum(code.queueNames.map((name) => workQueueSpecs[name].concurrencyMax));
const copies = stepConcurrency.backupCopy;
const deliveries = workQueueSpecs.delivery.concurrencyMax * workQueueSpecs.delivery.batchSize;

/** The peak load against each AWS quota. */
export const fleetLoad: readonly FleetLoad[] = [
  {
    what: 'concurrent functions, without the API',
    used: reserved + ofQueues,
    most: quota.lambdaConcurrency,
    unit: 'functions',
    because: `${reserved} for workflow steps, if \`reservedConcurrency\` is ${reserved}; ${ofQueues} are the limits of the queues; the API has the rest`,
  },
  {
    what: 'writes to one organization’s partition of the table',
    used: Math.ceil((copies / (code.reportIntervalMs / 1_000)) * checkpointWriteUnits),
    most: quota.partitionWriteUnits,
    unit: 'units per second',
    because: `all ${copies} copies belong to it, and each reports every ${code.reportIntervalMs / 1_000} s`,
  },
  {
    what: 'reads of that partition',
    used: Math.ceil(copies / (code.checkIntervalMs / 1_000)),
    most: quota.partitionReadUnits,
    unit: 'units per second',
    because: `each checks every ${code.checkIntervalMs / 1_000} s whether its job still runs`,
  },
  {
    what: 'workflow state transitions',
    used: Math.ceil((copies * fast * 4) / code.usualDocumentsPerRange),
    most: quota.stateTransitionsPerSecond,
    unit: 'per second',
    because: 'four per range, if all copies run at the speed of the fastest source',
  },
  {
    what: 'writes to one prefix of a customer’s bucket',
    used: Math.ceil((code.copiesMax * fast * measured.storedBytes) / code.uploadPartBytes),
    most: quota.bucketPuts,
    unit: 'per second',
    because: 'the copies of one backup of the fastest source',
  },
  {
    what: 'KMS requests',
    used: Math.ceil((copies * fast) / code.usualDocumentsPerRange + deliveries),
    most: quota.kmsRequestsPerSecond,
    unit: 'per second',
    because: 'one per range, and one per concurrent delivery whose webhook secret is not cached',
  },
  {
    what: 'Scheduler schedules',
    used: code.schedulesPerOrganization * 1_000,
    most: quota.schedulerEntries,
    unit: 'entries',
    because: `a thousand organizations with ${code.schedulesPerOrganization} schedules each`,
  },
];

/** How many jobs of each kind run at full width; more jobs share the capacity. */
export const fleetCapacity: readonly (readonly [what: string, count: number, because: string])[] = [
  ['backups', Math.floor(copies / code.copiesMax), `${copies} copies, ${code.copiesMax} per backup`],
  [
    'restores',
    Math.floor(stepConcurrency.restoreWrite / code.writersMax),
    `${stepConcurrency.restoreWrite} writers, ${code.writersMax} per restore`,
  ],
  ['verifications', stepConcurrency.backupVerify, 'one function each'],
  ['projects with change capture', workQueueSpecs.capture.concurrencyMax, 'one function each while it listens'],
  ['concurrent webhook requests, delivery queue', deliveries, 'ten per function'],
];
