/** The two protocols of the services: AWS JSON (action in a header) and REST JSON (action in the path). */
import { randomUUID } from 'node:crypto';
import {
  type Answer,
  type AwsError,
  type Call,
  type Engine,
  type Json,
  type Operation,
  parseObject,
  type Service,
} from '../../base/aws-service.ts';

/** The version affects the content type only. */
export const jsonProtocol = (version: '1.0' | '1.1'): Pick<Service, 'read' | 'refuse'> & { reply(output: unknown): Answer } => {
  const headers = { 'content-type': `application/x-amz-json-${version}` };
  return {
    read: ({ headers: { 'x-amz-target': target }, body }) => ({
      action: typeof target === 'string' ? target.slice(target.lastIndexOf('.') + 1) : '',
      input: parseObject(body),
    }),
    reply: (output) => ({ status: 200, headers: { ...headers, ...requestId() }, body: JSON.stringify(output ?? {}) }),
    refuse: (error) => ({
      status: error.status,
      headers: { ...headers, ...requestId(), 'x-amzn-errortype': error.code },
      body: errorBody(error),
    }),
  };
};

export const jsonService = (version: '1.0' | '1.1', engine: Engine): Service => {
  const { read, reply, refuse } = jsonProtocol(version);
  return {
    read,
    refuse,
    needs: (operation) => engine.needs(operation),
    answer: async (operation) => reply(await engine.call(operation)),
  };
};

/** `'POST /schedules/{Name}': 'CreateSchedule'`: path parameters and the query become fields of the input. */
export type Routes = Readonly<Record<string, string>>;

export const restService = (routes: Routes, engine: Engine): Service => ({
  read: (call) => readRoute(routes, call),
  needs: (operation) => engine.needs(operation),
  answer: async (operation) => ({
    status: 200,
    headers: { 'content-type': 'application/json', ...requestId() },
    body: JSON.stringify((await engine.call(operation)) ?? {}),
  }),
  refuse: (error) => ({
    // REST services answer denied access with 403, JSON services with 400.
    status: error.code === 'AccessDeniedException' ? 403 : error.status,
    headers: { 'content-type': 'application/json', ...requestId(), 'x-amzn-errortype': error.code },
    body: errorBody(error),
  }),
});

const readRoute = (routes: Routes, { method, path, body }: Call): Operation => {
  const url = new URL(path, 'http://local');
  for (const [route, action] of Object.entries(routes)) {
    const [verb, pattern = ''] = route.split(' ');
    if (verb !== method) continue;
    const fields: Record<string, string> = {};
    const wanted = pattern.split('/');
    const given = url.pathname.replace(/\/$/, '').split('/');
    const fits =
      wanted.length === given.length &&
      wanted.every((part, n) => {
        const value = decodeURIComponent(given[n] ?? '');
        if (!part.startsWith('{')) return part === value;
        fields[part.slice(1, -1)] = value;
        return value !== '';
      });
    if (fits) return { action, input: { ...Object.fromEntries(url.searchParams), ...parseObject(body), ...fields } as Json };
  }
  return { action: `${method} ${url.pathname}`, input: {} };
};

const requestId = (): Record<string, string> => ({ 'x-amzn-requestid': randomUUID() });

// Services differ in the case of `message`; SDKs read either.
const errorBody = ({ code, message }: AwsError): string => JSON.stringify({ __type: code, message, Message: message });
