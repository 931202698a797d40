import * as z from 'zod/mini';
import { apiPrefix, group } from '../../endpoint.ts';
import { id, Name, noBody, Timezone, text, When } from '../../fields.ts';
import {
  checkMessageMax,
  checkTimeoutSeconds,
  checkTimeoutSecondsMax,
  checkTimeoutSecondsMin,
  randomDaysMax,
  sampleDocumentsMax,
} from '../../limits.ts';
import { checkResults, RestoreTest, RestoreTestRun, restoreTestStatuses } from '../../models/restore-test.ts';
import { scheduleFields } from '../schedules.ts';

const read = { role: 'viewer', scope: 'schedules:read', projects: 'named' } as const;
const manage = { role: 'member', scope: 'schedules:write', projects: 'named' } as const;

/** A word is short for the object that has it as its only field. */
const orWord = <S extends z.ZodMiniType>(field: string, words: readonly string[], schema: S) =>
  z.pipe(
    z.transform((given) => (typeof given === 'string' && words.includes(given) ? { [field]: given } : given)),
    schema,
  );

const wholeNumber = (min: number, max: number) => {
  const range = `must be a whole number from ${min} to ${max}`;
  return z.int(range).check(z.minimum(min, range), z.maximum(max, range));
};

/** `random` without `days` means the last 30. */
const BackupChoice = orWord(
  'pick',
  ['latest', 'random', 'moment'],
  z.discriminatedUnion(
    'pick',
    [
      z.strictObject({ pick: z.literal('latest') }),
      z.strictObject({ pick: z.literal('random'), days: z._default(wholeNumber(1, randomDaysMax), 30) }),
      z.strictObject({ pick: z.literal('moment') }),
    ],
    'must be latest, random or moment',
  ),
).check(z.meta({ examples: [{ pick: 'random', days: 30 }] }));

const Scope = orWord(
  'type',
  ['all', 'sample'],
  z.discriminatedUnion(
    'type',
    [
      z.strictObject({ type: z.literal('all') }),
      z.strictObject({ type: z.literal('sample'), documentsPerCollection: wholeNumber(1, sampleDocumentsMax) }),
    ],
    'must be all or sample',
  ),
).check(z.meta({ examples: [{ type: 'all' }] }));

const Target = z.pipe(
  z.transform((given) => (given === 'none' ? null : given)),
  z.nullable(z.strictObject({ projectId: id('project') })),
);

const Check = z.nullable(
  z.strictObject({
    url: z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(2_048, 'must be at most 2048 characters')),
    secret: z.optional(z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(255, 'must be at most 255 characters'))),
    timeoutSeconds: z._default(wholeNumber(checkTimeoutSecondsMin, checkTimeoutSecondsMax), checkTimeoutSeconds),
  }),
);

const fields = {
  name: Name,
  projectId: z.nullable(id('project')),
  cron: scheduleFields.cron,
  timezone: Timezone,
  backup: BackupChoice,
  scope: Scope,
  target: Target,
  check: Check,
  enabled: z.boolean('must be true or false'),
};
/** shared/restore-test/api/restore-test-input.ts validates the expression, the projects and the address further. */
const Fields = z.strictObject(fields);

/** PUT replaces all fields: those not given get their defaults. */
const Whole = z.strictObject({
  ...fields,
  projectId: z._default(fields.projectId, null),
  timezone: z.optional(fields.timezone),
  backup: z.prefault(fields.backup, { pick: 'latest' }),
  scope: z.prefault(fields.scope, { type: 'all' }),
  target: z._default(fields.target, null),
  check: z._default(fields.check, null),
  enabled: z._default(fields.enabled, true),
});

/** A project that a plan does not test this time. */
const Skipped = z.object({ projectId: z.string(), reason: z.string() });

const planErrors = ['PROJECT_NOT_FOUND', 'CONFLICT'] as const;
const changeErrors = ['RESTORE_TEST_NOT_FOUND', ...planErrors] as const;
const sealing = ['table:write', 'restore-test:seal'] as const;

export const restoreTests = group('restoreTests', `${apiPrefix}/restore-tests`, {
  create: {
    route: 'POST',
    access: manage,
    summary: 'Create a plan of restore tests. The secret of its check is shown only once',
    body: Whole,
    data: RestoreTest,
    status: 201,
    location: `${apiPrefix}/restore-tests/{id}`,
    audit: 'restore_test.created',
    errors: planErrors,
    idempotent: true,
    capabilities: sealing,
  },
  list: {
    route: 'GET',
    access: { ...read, projects: 'listed' },
    summary: 'List plans of restore tests, newest first',
    query: z.strictObject({ projectId: z.optional(id('project')) }),
    list: RestoreTest,
    capabilities: ['table:read'],
  },
  get: {
    route: 'GET /{restoreTestId}',
    access: read,
    summary: 'Get a plan with its next run and the outcome of its last run',
    data: RestoreTest,
    errors: ['RESTORE_TEST_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  update: {
    route: 'PATCH /{restoreTestId}',
    access: manage,
    summary: 'Update, pause or resume a plan; only the given fields change',
    body: z.strictObject(z.partial(Fields).shape),
    data: RestoreTest,
    audit: 'restore_test.updated',
    errors: changeErrors,
    capabilities: sealing,
  },
  replace: {
    route: 'PUT /{restoreTestId}',
    access: manage,
    summary: 'Replace a plan; fields that are not given get their defaults',
    body: Whole,
    data: RestoreTest,
    audit: 'restore_test.updated',
    errors: changeErrors,
    capabilities: sealing,
  },
  remove: {
    route: 'DELETE /{restoreTestId}',
    access: manage,
    summary: 'Delete a plan and cancel its runs; its runs and their evidence are kept',
    audit: 'restore_test.deleted',
    errors: ['RESTORE_TEST_NOT_FOUND', 'CONFLICT'],
    capabilities: ['table:write'],
  },
  run: {
    route: 'POST /{restoreTestId}/run',
    access: manage,
    summary: 'Start the test now, even while the plan is paused: one run for each project',
    ...noBody,
    data: z.object({ restoreTestId: z.string(), runId: z.string(), runs: z.array(RestoreTestRun), skipped: z.array(Skipped) }),
    status: 202,
    location: `${apiPrefix}/restore-tests/runs/{runId}`,
    audit: 'restore_test.triggered',
    errors: ['RESTORE_TEST_NOT_FOUND', 'PROJECT_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    idempotent: true,
    capabilities: ['table:write'],
  },
  listRuns: {
    route: 'GET /{restoreTestId}/runs',
    access: { ...read, projects: 'listed' },
    summary: 'List the runs of a plan, newest first',
    query: z.strictObject({
      projectId: z.optional(id('project')),
      status: z.optional(z.enum(restoreTestStatuses)),
      from: z.optional(When),
      to: z.optional(When),
    }),
    list: RestoreTestRun,
    errors: ['RESTORE_TEST_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  getRun: {
    route: 'GET /runs/{runId}',
    access: read,
    summary: 'Get a run: what was compared, what differs, how long it took, and its evidence',
    data: RestoreTestRun,
    errors: ['RESTORE_TEST_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  cancelRun: {
    route: 'POST /runs/{runId}/cancel',
    access: manage,
    summary: 'Cancel a pending or running test. What it wrote to its target is removed first',
    ...noBody,
    data: RestoreTestRun,
    status: 202,
    location: `${apiPrefix}/restore-tests/runs/{runId}`,
    audit: 'restore_test.cancelled',
    errors: ['RESTORE_TEST_NOT_FOUND', 'CONFLICT'],
    destructive: true,
    capabilities: ['table:write'],
  },
  answerCheck: {
    route: 'POST /runs/{runId}/check',
    access: manage,
    summary: 'Report the result of your own check of the restored data, while the run waits for it',
    body: z.strictObject({
      result: z.enum(checkResults, 'must be pass or fail'),
      message: z._default(z.nullable(text(checkMessageMax)), null),
    }),
    data: RestoreTestRun,
    audit: 'restore_test.check_answered',
    errors: ['RESTORE_TEST_NOT_FOUND', 'CONFLICT'],
    capabilities: ['table:write'],
  },
});
