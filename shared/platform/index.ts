export { mapConcurrent } from './async/map-concurrent.ts';
export { prefetch } from './async/prefetch.ts';
export { type Backoff, type RetriedWork, type RetryVerdict, retry } from './async/retry.ts';
export { assumeRole } from './aws/assume-role.ts';
export { type FederatedIdentity, federatedAccessToken } from './aws/federated-access-token.ts';
export * from './aws/kms.ts';
export { openWrappedKey } from './aws/open-wrapped-key.ts';
export { putEntry, removeEntry, type SchedulerEntry, scheduledTime, sendLater } from './aws/scheduler.ts';
export { seal, secretValue, sign, unseal } from './aws/secrets.ts';
export { sendMail } from './aws/ses.ts';
export { deploymentAccountId, sessionArnOf } from './aws/session-arn.ts';
export { delayMaxSeconds, type QueueMessage, type QueueVariable, sendMessages } from './aws/sqs.ts';
export { describeExecution, type ExecutionState, startWorkflow, stopWorkflow } from './aws/step-functions.ts';
export { isAwsError } from './aws-client/is-aws-error.ts';
export { isTransientAwsError } from './aws-client/is-transient-aws-error.ts';
export { after, type Clock, clock, epochSeconds, iso, utcMinute } from './clock.ts';
export { composeLetter, type Letter, type LetterBlock, type LetterPart } from './compose-letter.ts';
export { countryOfAddress } from './country/country-of-address.ts';
export { Crc32c } from './crc32c.ts';
export { derivedId } from './derived-id.ts';
export { env, envList } from './env.ts';
export { escapeHtml } from './escape-html.ts';
export { cleanText, fitText, oneLine } from './fit-text.ts';
export * from './http/address-guard.ts';
export type { ResolveHostname } from './http/dns-lookup.ts';
export { fetchTrusted } from './http/fetch-trusted.ts';
export * from './http/google-access-token.ts';
export { type GuardedPost, type PostOutcome, postGuarded } from './http/post-guarded.ts';
export { jsonBytes } from './json-bytes.ts';
export { type BatchAnswer, batchHandler } from './observe/batch-handler.ts';
export { healthCheck } from './observe/health-check.ts';
export { type LambdaHandler, lambdaHandler, lambdaProcess, lambdaStack, timeoutEarlyMs } from './observe/lambda-handler.ts';
export { bestEffort, log } from './observe/log.ts';
export { addLogContext, type Ids, withLogContext } from './observe/log-context.ts';
export { emitMetric } from './observe/metrics.ts';
export { assertRunActive, FunctionTimeoutError } from './observe/run-signal.ts';
export { omitUndefined } from './omit-undefined.ts';
export { organizationLimit } from './organization-limit.ts';
export {
  fingerprint,
  idBounds,
  idFor,
  newId,
  newIdOf,
  newUlid,
  randomFraction,
  randomToken,
  secureRandomBytes,
  timeOfId,
} from './random-id.ts';
export { isMasked, secretMask } from './secret-mask.ts';
export * from './table/change.ts';
export { commit, transactionMax } from './table/commit.ts';
export { deletePartition } from './table/delete-partition.ts';
export { getCoalesced } from './table/get-coalesced.ts';
export { count, get, getAll, note, query, type Range, walk } from './table/read-table.ts';
export { removeAll } from './table/remove-all.ts';
export { isConflict, retryOnConflict } from './table/retry-on-conflict.ts';
export { isSchemaKnown, raiseSchema, refuseSchema } from './table/schema.ts';
export { putIfAbsent, setIfAbsent, takeItem, updateItem } from './table/single-item.ts';
export { StaleReadError } from './table/stale-read-error.ts';
export { takePage } from './table/take-page.ts';
export { takeWithinBytes } from './take-within-bytes.ts';
export { type Proof, type Tenant, unsafeTenant } from './tenant.ts';
export { systemTimers, type Timer, type Timers } from './timers.ts';
export { forgetWarm, warm, warmPromise } from './warm.ts';
export { freeBuffers, keepYoungSmall } from './young-memory.ts';
