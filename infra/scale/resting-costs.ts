/** What a deployment costs per month while it is not used. */
import { price } from './price.ts';

const monthHours = 730;

/** The resources that are billed while nothing happens; a test compares the counts with the template. */
export const restingResources = {
  keys: 4,
  secrets: 2,
  alarms: 101,
  dashboards: 1,
  queueTriggers: 10,
  /** Periodic runs per hour, of all functions together. */
  runsPerHour: 80,
} as const;

interface RestingCost {
  readonly what: string;
  readonly monthlyDollars: number;
  readonly because: string;
}

/** Lambda polls an idle queue with five long polls of 20 s. */
const pollsPerHour = 5 * (3_600 / 20);
/** An idle periodic run: a second at 512 MB. */
const runGigabyteSeconds = 0.5;

const { keys, secrets, alarms, dashboards, queueTriggers, runsPerHour } = restingResources;
const polls = queueTriggers * pollsPerHour * monthHours;
const runs = runsPerHour * monthHours;
const rounded = (count: number): string => count.toLocaleString('en-US');

export const restingCosts: readonly RestingCost[] = [
  {
    what: 'KMS keys',
    monthlyDollars: keys * price.keyMonth,
    because: `${keys} keys; each of the first two yearly rotations of the symmetric ones adds $1`,
  },
  { what: 'secrets', monthlyDollars: secrets * price.secretMonth, because: `${secrets} secrets` },
  { what: 'alarms', monthlyDollars: alarms * price.alarmMonth, because: `${alarms} alarms` },
  {
    what: 'dashboard',
    monthlyDollars: dashboards * price.dashboardMonth,
    because: 'one, with more metrics than the free tier has',
  },
  { what: 'queues', monthlyDollars: polls * price.message, because: `${rounded(polls)} empty receives by Lambda` },
  {
    what: 'periodic functions',
    monthlyDollars: runs * (price.invocation + runGigabyteSeconds * price.gigabyteSecond),
    because: `${rounded(runs)} runs of a second`,
  },
];

export const restingDollars: number = restingCosts.reduce((sum, { monthlyDollars }) => sum + monthlyDollars, 0);
