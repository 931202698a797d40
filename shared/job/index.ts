/** What every long-running job has in common: how it stands, how its steps fail, how it is stopped and looked after. */
export { decilesPassed, decilesUpTo } from './deciles.ts';
export { damage, failureOf, JobFailure, UploadError } from './failure.ts';
export { Halt } from './halt.ts';
export { Pulse, type PulseOptions } from './pulse.ts';
export { type Noted, reapingIn } from './reaping-lanes.ts';
export {
  type Advance,
  advanceJob,
  isConflict,
  type JobStanding,
  NotRunning,
  type Reason,
  stillGoing,
  stillThere,
  whileJobRuns,
} from './running.ts';
export { answerStep, type Job, reasonOf, runStep } from './step.ts';
