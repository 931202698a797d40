/**
 * CloudFormation in its query protocol. The client of AWS's SDK has 90 operations and as much code as the rest of a deployment; these are ten,
 * and the command line is one file that starts quickly.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseXml, type XmlObject } from './parse-xml.ts';
import { type Credentials, signRequest } from './sign-request.ts';

export interface CloudFormationOptions {
  readonly region: string;
  readonly credentials: () => Promise<Credentials>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

type Input = Readonly<Record<string, string | boolean | undefined | readonly (string | Readonly<Record<string, string>>)[]>>;

export class CloudFormationError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = code;
    this.code = code;
  }
}

export interface CloudFormation {
  call(action: string, input?: Input): Promise<XmlObject>;
  /** All pages of a list. */
  listAll(action: string, input: Input, field: string): Promise<readonly XmlObject[]>;
}

const apiVersion = '2010-05-15';
const attempts = 5;
const firstPauseMs = 500;

export const openCloudFormationClient = ({ region, credentials, env, signal }: CloudFormationOptions): CloudFormation => {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = env.AWS_ENDPOINT_URL_CLOUDFORMATION ?? env.AWS_ENDPOINT_URL ?? `https://cloudformation.${region}.${suffix}`;

  const send = async (body: string): Promise<{ readonly status: number; readonly answer: XmlObject }> => {
    const headers = signRequest({
      url,
      body,
      region,
      service: 'cloudformation',
      credentials: await credentials(),
      now: new Date(),
    });
    const response = await fetch(url, { method: 'POST', headers, body, signal });
    return { status: response.status, answer: parseXml(await response.text()) };
  };

  const call = async (action: string, input: Input = {}): Promise<XmlObject> => {
    const body = new URLSearchParams({ Action: action, Version: apiVersion, ...flatten(input) }).toString();
    for (let attempt = 1; ; attempt += 1) {
      const { status, answer } = await send(body);
      if (status === 200) return objectAt(objectAt(answer, `${action}Response`), `${action}Result`);
      const error = objectAt(objectAt(answer, 'ErrorResponse'), 'Error');
      const [code, message] = [String(error.Code ?? status), String(error.Message ?? 'CloudFormation does not answer')];
      if (attempt === attempts || (status < 500 && code !== 'Throttling')) throw new CloudFormationError(code, message);
      await pause(firstPauseMs * 2 ** attempt, undefined, { signal });
    }
  };

  const listAll = async (action: string, input: Input, field: string): Promise<readonly XmlObject[]> => {
    const all: XmlObject[] = [];
    for (let NextToken: string | undefined, isFirst = true; isFirst || NextToken !== undefined; isFirst = false) {
      const page = await call(action, { ...input, NextToken });
      all.push(...listAt(page, field));
      NextToken = typeof page.NextToken === 'string' && page.NextToken !== '' ? page.NextToken : undefined;
    }
    return all;
  };

  return { call, listAll };
};

/** `{ Parameters: [{ ParameterKey: 'Plan' }] }` → `Parameters.member.1.ParameterKey=Plan` */
const flatten = (input: Input): Record<string, string> => {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    if (typeof value === 'string' || typeof value === 'boolean') fields[name] = String(value);
    else
      for (const [n, element] of value.entries()) {
        const path = `${name}.member.${n + 1}`;
        if (typeof element === 'string') fields[path] = element;
        else for (const [key, its] of Object.entries(element)) fields[`${path}.${key}`] = its;
      }
  }
  return fields;
};

export const objectAt = (object: XmlObject, field: string): XmlObject => {
  const value = object[field];
  return typeof value === 'object' && !Array.isArray(value) ? (value as XmlObject) : {};
};

export const listAt = (object: XmlObject, field: string): readonly XmlObject[] => {
  const members = objectAt(object, field).member;
  return (members === undefined ? [] : [members].flat()) as readonly XmlObject[];
};

export const textAt = (object: XmlObject, field: string): string => {
  const value = object[field];
  return typeof value === 'string' ? value : '';
};
