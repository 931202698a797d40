/** What every long-running job has in common: how it stands, how its steps fail, how it is stopped and looked after. */

export { Pulse, type PulseOptions } from './heartbeat.ts';
export { damage, failureOf, JobFailure, UploadError } from './job-failure.ts';
export { decilesPassed, decilesUpTo } from './progress-deciles.ts';
export { type Noted, reapingIn } from './reap-jobs.ts';
export { Halt } from './run-control.ts';
export { answerStep, type Job, reasonOf, runStep } from './run-step.ts';
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
} from './running-job.ts';
