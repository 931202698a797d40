/** Signs in with a code that the person approves in the console (RFC 8628). */
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiFailure, type Client, type DataOf, NetworkFailure } from '../../../shared/client/index.ts';
import { escapeName } from '../../archive/escape-output.ts';
import { CliFailure } from '../base/cli-failure.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { openPublicClient } from '../config/open-session.ts';
import type { Context } from '../context/context.ts';
import { openBrowser } from './open-browser.ts';

type Codes = DataOf<'POST /auth/device'>;
type Tokens = DataOf<'POST /auth/device/token'>;

/** RFC 8628 section 3.5: after slow_down the interval grows by this. */
const slowerSeconds = 5;
const clientNameMax = 100;

export const signInDevice = async (context: Context, { hasBrowser }: { readonly hasBrowser: boolean }): Promise<Tokens> => {
  const { url } = context.settings();
  const client = openPublicClient(url);
  const codes = await client.request('POST /auth/device', {
    body: { clientName: clientNameOf(hostname()) },
    signal: context.signal,
  });
  showCode(context, codes);
  if (hasBrowser && context.output.terminal.isInteractive && openBrowser(context.environment, codes.verificationUriComplete))
    context.output.note('Opening it in your browser.');
  return pollTokens(client, { codes, signal: context.signal });
};

/** Only what a name of the service may contain. */
export const clientNameOf = (host: string): string =>
  `bms on ${host.replaceAll(/[^\x21-\x7e]+/g, '') || 'a device'}`.slice(0, clientNameMax);

/** Always shown, because nothing else tells the person what to do. */
const showCode = ({ output, environment: { stderr } }: Context, { verificationUri, userCode, expiresIn }: Codes): void => {
  const { terminal } = output;
  const minutes = Math.round(expiresIn / 60);
  stderr.write(`To sign in, open ${terminal.paintNote('underline', escapeName(verificationUri))}\n`);
  stderr.write(
    `and enter the code ${terminal.paintNote('bold', escapeName(userCode))}, which is valid for ${minutes} minutes.\n`,
  );
  output.note('Waiting for your approval. Press Ctrl-C to cancel.');
};

/** Polls until the person has decided. A lost connection says nothing about the decision. */
export const pollTokens = async (
  client: Client,
  {
    codes: { deviceCode, interval, expiresIn },
    signal,
    sleep = (ms) => pause(ms, undefined, { signal }),
  }: {
    readonly codes: Codes;
    readonly signal: AbortSignal;
    readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined;
  },
): Promise<Tokens> => {
  let waitSeconds = interval;
  let waitedSeconds = 0;
  for (;;) {
    await sleep(waitSeconds * 1_000, signal);
    waitedSeconds += waitSeconds;
    try {
      return await client.request('POST /auth/device/token', { body: { deviceCode }, signal });
    } catch (error) {
      waitSeconds += extraWait(error);
      if (waitedSeconds > expiresIn) throw expired(error);
    }
  }
};

/** How much longer to wait before the next poll. Throws if polling is over. */
const extraWait = (error: unknown): number => {
  if (error instanceof NetworkFailure) return slowerSeconds;
  if (!(error instanceof ApiFailure)) throw error;
  if (error.code === 'AUTHORIZATION_PENDING') return 0;
  if (error.code === 'SLOW_DOWN' || error.status === 429 || error.status >= 500) return slowerSeconds;
  if (error.code === 'EXPIRED_TOKEN') throw expired(error);
  if (error.code === 'ACCESS_DENIED') throw new CliFailure(exitCodes.denied, error.message, { cause: error });
  throw error;
};

const expired = (cause: unknown): CliFailure =>
  new CliFailure(exitCodes.denied, 'the code has expired before it was approved; run bms login again', { cause });
