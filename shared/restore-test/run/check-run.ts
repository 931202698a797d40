/** Asks the customer's own check: tells it that the restored data is ready, and waits for its result. */
import * as z from 'zod/mini';
import { checkMessageMax } from '../../contract/limits.ts';
import { checkResults } from '../../contract/models/restore-test.ts';
import { errorOf } from '../../delivery/index.ts';
import { cleanText, commit, env, envList, epochSeconds, fitText, isConflict, iso } from '../../platform/index.ts';
import { standardSignature } from '../../webhook/index.ts';
import { isOverdue } from '../model/is-overdue.ts';
import type { RunRecord, SealedCheck } from '../model/record.ts';
import { concludeWith, enterPhase, type RunContext, type RunProgress, setRun } from './run-writes.ts';

type Check = NonNullable<RunRecord['check']>;

/** A request waits for the answer this long; a check that takes longer answers 202 and reports later. */
const postTimeoutMaxMs = 60_000;

export const checkRun = async (context: RunContext): Promise<RunProgress> => {
  const { run, deps } = context;
  const sealed = run.settings.check;
  if (!sealed) return enterPhase(context, { phase: 'removing' });
  const { check } = run;
  // A step that died before it stored that it had sent the request is repeated: the check hears of it at least once.
  if (!check || (check.status === 'waiting' && run.checkSentAt === undefined)) return sendReady(context, sealed);
  if (check.status === 'passed') return enterPhase(context, { phase: 'removing' });
  if (check.status === 'failed')
    return concludeWith(context, {
      code: 'CHECK_FAILED',
      message: `The check failed${check.message ? `: ${check.message}` : ''}`,
    });
  if (check.status === 'timeout') {
    const message = `The check gave no result within ${check.timeoutSeconds} seconds`;
    return concludeWith(context, { code: 'CHECK_TIMEOUT', message });
  }
  return isOverdue(check, deps.clock.now()) ? settle(context, { before: check, check: { ...check, status: 'timeout' } }) : 'wait';
};

/** Replaces the check if it is still as it was: the first result counts, whichever way it comes. */
const settle = async (
  context: RunContext,
  {
    before,
    check,
    attributes = {},
  }: { readonly before: Check | null; readonly check: Check; readonly attributes?: Partial<RunRecord> | undefined },
): Promise<RunProgress> => {
  try {
    await commit([setRun(context, { check, ...attributes }, { check: before })]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
  return 'again';
};

/**
 * A repeated request has the same `webhook-id` and body, and a new time, as each attempt of a webhook. The time for the result counts from
 * the last one.
 */
const sendReady = async (context: RunContext, sealed: SealedCheck): Promise<RunProgress> => {
  const { tenant, run, deps } = context;
  const { timeoutSeconds } = sealed;
  const now = deps.clock.now();
  const { url, secret } = await deps.openCheck(tenant, run.restoreTestId, sealed);
  const body = JSON.stringify(
    readyMessage(tenant.organizationId, { run, timeoutSeconds, timestamp: run.begun.checking ?? iso(now) }),
  );
  const timestamp = String(epochSeconds(now));
  const timeoutMs = Math.min(timeoutSeconds * 1_000, postTimeoutMaxMs);
  const waiting: Check = { status: 'waiting', message: null, requestedAt: iso(now), answeredAt: null, timeoutSeconds };
  // Before the request: a check may report by another call before it answers this one.
  await commit([setRun(context, { check: waiting }, { check: run.check })]);
  const sent = await deps.post({
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': `backup-service/${env('SERVICE_VERSION')}`,
      'webhook-id': run.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': standardSignature(secret, `${run.id}.${timestamp}.${body}`),
    },
    body,
    timeoutMs,
    trusted: envList('WEBHOOK_HOSTS'),
    keepsResponse: true,
  });
  if (sent.kind === 'failed') {
    // A slow receiver may have begun its check; it can still report.
    if (sent.reason === 'timeout') return awaitResult(context, waiting);
    return fail(context, waiting, `The check could not be reached: ${errorOf(sent, timeoutMs)}`);
  }
  if (sent.status === 202 || sent.status === 504) return awaitResult(context, waiting);
  if (sent.status !== 200) return fail(context, waiting, `The check answered with status ${sent.status}`);
  const answer = readAnswer(sent.response?.body ?? '');
  if (!answer) return fail(context, waiting, 'The check did not answer with {"result": "pass"} or {"result": "fail"}');
  const check: Check = {
    ...waiting,
    status: answer.result === 'pass' ? 'passed' : 'failed',
    message: answer.message,
    answeredAt: iso(deps.clock.now()),
  };
  return settle(context, { before: waiting, check });
};

/** The request has arrived; the result comes by another call, and may be there already. */
const awaitResult = async (context: RunContext, waiting: Check): Promise<RunProgress> => {
  const { deps } = context;
  await settle(context, { before: waiting, check: waiting, attributes: { checkSentAt: iso(deps.clock.now()) } });
  return 'wait';
};

const readyMessage = (
  organizationId: string,
  { run, timeoutSeconds, timestamp }: { readonly run: RunRecord; readonly timeoutSeconds: number; readonly timestamp: string },
) => ({
  event: 'restore_test.ready',
  timestamp,
  organizationId,
  run: {
    id: run.id,
    restoreTestId: run.restoreTestId,
    name: run.name,
    projectId: run.projectId,
    projectName: run.projectName,
    backupId: run.backupId,
    pointInTime: run.pointInTime,
    readTime: run.readTime,
    restoreJobId: run.restoreJobId,
    scope: run.scope,
    documents: run.counts?.documents ?? 0,
  },
  target: run.target,
  timeoutSeconds,
  answerUrl: `${env('PUBLIC_URL')}/api/v1/restore-tests/runs/${run.id}/check`,
});

const Answer = z.object({ result: z.enum(checkResults), message: z.nullish(z.string()) });

/** The message is the customer's: kept short and printable. */
const readAnswer = (body: string): { result: 'pass' | 'fail'; message: string | null } | undefined => {
  try {
    const { result, message } = Answer.parse(JSON.parse(body));
    return { result, message: message ? fitText(cleanText(message), checkMessageMax) : null };
  } catch {
    return undefined;
  }
};

const fail = (context: RunContext, waiting: Check, message: string): Promise<RunProgress> =>
  settle(context, {
    before: waiting,
    check: { ...waiting, status: 'failed', message, answeredAt: iso(context.deps.clock.now()) },
  });
