/** Calls of the services that take and give JSON. */
import { type AwsCall, type AwsOptions, awsCall } from './aws-call.ts';
import { AwsError } from './aws-error.ts';
import type { Answer } from './exchange.ts';

/** Services whose calls are all one address and name what they do in a header. */
const services = {
  dynamodb: { prefix: 'DynamoDB_20120810', version: '1.0' },
  kms: { prefix: 'TrentService', version: '1.1' },
  secretsmanager: { prefix: 'secretsmanager', version: '1.1' },
  sqs: { prefix: 'AmazonSQS', version: '1.0' },
  states: { prefix: 'AWSStepFunctions', version: '1.0' },
} as const;

/** What the operation answers is as its documentation says; bytes are base64 on both ways. */
export const jsonCall = <T>(
  service: keyof typeof services,
  operation: string,
  input: object,
  options?: AwsOptions,
): Promise<T> => {
  const { prefix, version } = services[service];
  const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': `${prefix}.${operation}` };
  return jsonAnswer({ service, method: 'POST', path: '/', headers, body: JSON.stringify(input) }, options);
};

/** The same for services that have an address for each thing. */
export const restCall = <T>(
  call: Pick<AwsCall, 'service' | 'method' | 'path' | 'query'>,
  input: object | undefined,
  options?: AwsOptions,
): Promise<T> => {
  const headers = input === undefined ? {} : { 'content-type': 'application/json' };
  return jsonAnswer({ ...call, headers, body: input === undefined ? '' : JSON.stringify(input) }, options);
};

const jsonAnswer = async <T>(call: AwsCall, options: AwsOptions | undefined): Promise<T> => {
  const { body } = await awsCall(call, refusalOf, options);
  return (body.length === 0 ? {} : JSON.parse(body.toString())) as T;
};

const refusalOf = ({ status, headers, body }: Answer): AwsError => {
  const said = parsed(body.toString());
  const type = headers['x-amzn-errortype'] ?? said.__type ?? said.code;
  // Namespaces stand before it, addresses behind it: `com.amazonaws.kms#NotFoundException:http://…`.
  const name = /^(?:[^#:,]*#)?(\w{1,100})/.exec(String(type ?? ''))?.[1] ?? `Status${status}`;
  return new AwsError(name, String(said.message ?? said.Message ?? name), status, said);
};

/** A proxy or a balancer on the way may answer in words of its own. */
const parsed = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};
