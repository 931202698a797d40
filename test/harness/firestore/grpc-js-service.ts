/** The Firestore service of the official protos, for a `@grpc/grpc-js` server. */
import { readFileSync } from 'node:fs';
import type { ServiceDefinition } from '@grpc/grpc-js';
import protobuf from 'protobufjs/light.js';

export const database = 'projects/demo/databases/(default)';
export const root = `${database}/documents`;

export interface Time {
  readonly seconds: number;
  readonly nanos: number;
}
export interface Filter {
  readonly compositeFilter?: { readonly filters: readonly Filter[] };
  readonly fieldFilter?: { readonly op: string; readonly value: { readonly referenceValue: string } };
}
export interface Query {
  readonly from?: readonly { readonly collectionId?: string; readonly allDescendants?: boolean }[];
  readonly where?: Filter;
}
export interface Target {
  readonly targetId: number;
  readonly query?: { readonly structuredQuery: Query };
  readonly documents?: { readonly documents: readonly string[] };
  readonly resumeToken?: Buffer;
  readonly readTime?: Time;
}
export interface Write {
  readonly update?: { readonly name: string; readonly fields: object };
  readonly delete?: string;
  readonly currentDocument?: { readonly exists?: boolean };
}
/** The request fields that the server uses. */
export interface Request {
  readonly parent?: string;
  readonly readTime?: Time;
  readonly structuredQuery?: Query;
  readonly structuredAggregationQuery?: { readonly structuredQuery: Query };
  readonly documents?: readonly string[];
  readonly partitionCount?: string;
  readonly writes?: readonly Write[];
  readonly addTarget?: Target;
  readonly removeTarget?: number;
}
const url = new URL('../protos/v1.json', import.meta.resolve('@google-cloud/firestore'));
const protos = protobuf.Root.fromJSON(JSON.parse(readFileSync(url, 'utf8')) as protobuf.INamespace).resolveAll();
const documentType = protos.lookup('google.firestore.v1.Document') as protobuf.Type;

/** A document as the server sends it. */
export const encodeDocument = (document: object): Buffer =>
  Buffer.from(documentType.encode(documentType.fromObject(document)).finish());

/** The service of the official protos, with serializers by protobufjs. */
export const definition = (): ServiceDefinition => {
  const service = protos.lookup('google.firestore.v1.Firestore') as protobuf.Service;
  const serialize =
    (type: protobuf.Type) =>
    (message: object): Buffer =>
      Buffer.from(type.encode(type.fromObject(message)).finish());
  const deserialize =
    (type: protobuf.Type) =>
    (bytes: Buffer): object =>
      type.toObject(type.decode(bytes), { longs: String, enums: String });
  return Object.fromEntries(
    service.methodsArray.map((method) => {
      method.resolve();
      const { resolvedRequestType: requestType, resolvedResponseType: responseType } = method;
      if (!requestType || !responseType) throw new Error(`method ${method.name} has no types`);
      return [
        method.name,
        {
          path: `/google.firestore.v1.Firestore/${method.name}`,
          requestStream: method.requestStream === true,
          responseStream: method.responseStream === true,
          requestSerialize: serialize(requestType),
          requestDeserialize: deserialize(requestType),
          responseSerialize: serialize(responseType),
          responseDeserialize: deserialize(responseType),
        },
      ];
    }),
  );
};

export const timeOf = (micros: number): Time => ({ seconds: Math.floor(micros / 1e6), nanos: (micros % 1e6) * 1_000 });
export const microsOf = ({ seconds, nanos }: Partial<Time>): number =>
  Number(seconds ?? 0) * 1e6 + Math.floor((nanos ?? 0) / 1_000);
