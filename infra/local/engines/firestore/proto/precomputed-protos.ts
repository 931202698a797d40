import { readFileSync } from 'node:fs';
import type { INamespace } from 'protobufjs';

/** The protos of the official client, whose package does not export them. A bundle contains them. */
export const precomputedProtos = (): INamespace =>
  JSON.parse(readFileSync(new URL('../protos/v1.json', import.meta.resolve('@google-cloud/firestore')), 'utf8')) as INamespace;
