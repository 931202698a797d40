export {
  BlockedAddress,
  checkAddress,
  type GuardedUrl,
  guardedAgent,
  guardedLookup,
  guardUrl,
  guardWebhookUrl,
  isPublic,
  type Resolve,
} from './address-guard.ts';
export { isRefusal } from './aws/refusal.ts';
export { type AuditNote, add, type Change, create, type Item, type Key, remove, set, type Write } from './change.ts';
export { after, type Clock, clock, epochSeconds, iso } from './clock.ts';
export { commit, transactionMax } from './commit.ts';
export { env, envList } from './env.ts';
export { getGathered } from './gathered.ts';
export { type AccessToken, type GoogleAccount, googleAccessToken, readPrivateKey, TokenError } from './google-token.ts';
export { type GuardedPost, type PostOutcome, postGuarded } from './guarded-post.ts';
export { fetchTrusted } from './http-client.ts';
export { chance, fingerprint, idBounds, newId, newIdOf, newUlid, randomness, randomToken } from './id.ts';
export { addIds, type Ids, withIds } from './ids.ts';
export { changeOne, claim, putNew, take } from './item.ts';
export {
  type DataKey,
  makeDataKey,
  openDataKey,
  openSecret,
  type PublicJwk,
  publicKeys,
  sealSecret,
  tokenSigner,
  wrapDataKey,
} from './keys.ts';
export { bestEffort, log } from './log.ts';
export { escaped, type Letter, sendMail } from './mail.ts';
export { measure } from './measure.ts';
export { type BatchAnswer, batchHandler } from './observe/batch-handler.ts';
export { FunctionTimeoutError } from './observe/function-timeout-error.ts';
export { type LambdaHandler, lambdaHandler, lambdaProcess, lambdaStack, timeoutEarlyMs } from './observe/lambda-handler.ts';
export { assertRunActive } from './observe/run-signal.ts';
export { isOutage } from './outage.ts';
export { Overtaken } from './overtaken.ts';
export { takePage } from './page.ts';
export { type Checks, probe } from './probe.ts';
export { delayMaxSeconds, type QueueMessage, type QueueVariable, sendTasks } from './queue.ts';
export { removeAll } from './removal.ts';
export { type RoleCredentials, type RoleWish, takeRole } from './role.ts';
export { type Entry, putEntry, removeEntry, scheduledTime, sendLater } from './scheduler.ts';
export { seal, secretValue, sign, unseal } from './secret.ts';
export { count, get, getAll, note, query, type Range, walk } from './table.ts';
export { type Proof, proveTenant, type Tenant } from './tenant.ts';
export { systemTimers, type Timer, type Timers } from './timers.ts';
export { lookAtWorkflow, startWorkflow, stopWorkflow } from './workflow.ts';
export { openWrappedKey } from './wrapped-key.ts';
