/** `bms api`: any call of the API, with the credentials of the command. */
import { type Command, InvalidArgumentError } from 'commander';
import { ApiFailure } from '../../../shared/client/index.ts';
import { escapeOutput } from '../../archive/escape-output.ts';
import { badInput, cliFailureOf } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { parseJson, readText } from '../base/read-json.ts';
import type { Action } from '../context/context.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

export const addApiCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'api',
    summary: 'Call any endpoint and print its response',
    description: 'The path begins below /api/v1. /docs of the service lists all endpoints.',
    examples: [
      'bms api GET /organizations/current/members',
      `bms api POST /backups --data '{"projectId":"prj_…"}'`,
      'bms api PATCH /schedules/sch_… --data @change.json',
    ],
  })
    .argument('<method>', methods.join(', '), parseMethod)
    .argument('<path>', 'such as /backups?limit=5', parsePath)
    .option('--data <json>', 'the body: JSON, @file, or - for stdin')
    .action(
      action(async ({ session, output }, { data }: { readonly data?: string }, [method = '', path = '']) => {
        if (method === 'GET' && data !== undefined)
          throw badInput('GET has no body: leave out --data; the path has the parameters, such as /backups?limit=5');
        const body = data === undefined ? undefined : bodyIn(data);
        const { anywhere, organization, organizationId } = session();
        const isOrganizationKnown = (await organizationId().catch(() => undefined)) !== undefined;
        const client = isOrganizationKnown ? await organization() : anywhere;
        const { status, text, headers } = await client.send(`${method as Method} ${path as `/${string}`}`, { body });
        const json = parsed(text);
        if (json === undefined) output.line(escapeOutput(text));
        else output.json(json);
        if (status >= 400) {
          const { code = 'UNKNOWN', message = `status ${status}` } =
            (json as { error?: { code?: string; message?: string } })?.error ?? {};
          const requestId = headers.get('x-request-id');
          throw cliFailureOf(
            new ApiFailure({ route: `${method} ${path}`, status, code, message, details: {}, requestId, retryAfter: null }),
          );
        }
      }),
    );
};

const parseMethod = (text: string): string => {
  const method = text.toUpperCase();
  if (!(methods as readonly string[]).includes(method))
    throw new InvalidArgumentError(`It must be one of ${methods.join(', ')}.`);
  return method;
};

/** A call of a shortened path would reach another resource. */
const parsePath = (text: string): string => {
  if (/\s/.test(text)) throw new InvalidArgumentError('It must not contain spaces; write %20.');
  return text.startsWith('/') ? text : `/${text}`;
};

const bodyIn = (data: string): object => {
  const file = data === '-' ? data : data.startsWith('@') ? data.slice(1) : undefined;
  return parseJson(file === undefined ? data : readText(file, '--data'), '--data');
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
