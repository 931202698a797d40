/** Permissions of tokens from workload identity federation, in the embedded Firestore and in buckets. Other tokens are none of its business. */
import type { State } from '../base/stage-state.ts';
import { RpcError } from '../engines/firestore/base/types.ts';
import type { Authorize } from '../engines/firestore/index.ts';
import { GcsError } from '../engines/gcs/gcs-resources.ts';
import type { AuthorizeBucket } from '../engines/gcs/index.ts';
import { openGoogleIam } from '../engines/identity/federation/google-iam.ts';
import { federatedTokenPrefix, tokenKind } from '../engines/identity/federation/token-exchange.ts';

const writing = new Set(['BatchWrite', 'Commit', 'CreateDocument', 'DeleteDocument', 'UpdateDocument', 'Write']);
const everything = ['roles/owner', 'roles/editor'];
const readers = ['roles/datastore.viewer', 'roles/datastore.user', 'roles/datastore.owner', ...everything];
const writers = ['roles/datastore.user', 'roles/datastore.owner', ...everything];
const userAdmins = ['roles/firebaseauth.admin', ...everything];

/** Of the Admin API and the Rules API: who else than the roles for documents may call them. */
const configuring = new Set(['CreateIndex', 'DeleteIndex', 'UpdateField', 'UpdateDatabase']);
const configurers = ['roles/datastore.indexAdmin', 'roles/datastore.owner', ...everything];
const rulesMethod = /(?:Ruleset|Release)s?$/;
const rulesReading = /^(?:Get|List|Test)/;
const rulesAdmins = ['roles/firebaserules.admin', ...everything];
const rulesReaders = ['roles/firebaserules.viewer', 'roles/viewer', ...rulesAdmins];

const rolesFor = (method: string): readonly string[] => {
  if (method === 'accounts') return userAdmins;
  if (rulesMethod.test(method)) return rulesReading.test(method) ? rulesReaders : rulesAdmins;
  if (configuring.has(method)) return configurers;
  return writing.has(method) ? writers : readers;
};

export const authorizeFederated = (state: State): Authorize => {
  const iam = openGoogleIam(state);
  return (token, projectId, method) => {
    if (!token?.startsWith(federatedTokenPrefix)) return;
    const member = state.get<string>(tokenKind, token);
    if (member === undefined) throw new RpcError('UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    const wanted = rolesFor(method);
    if (!iam.rolesOf(`projects/${projectId}`, member).some((role) => wanted.includes(role)))
      throw new RpcError('PERMISSION_DENIED', 'Missing or insufficient permissions.');
  };
};

const objects = (...actions: readonly string[]): readonly string[] => actions.map((action) => `storage.objects.${action}`);
const viewing = objects('get', 'list');
const using = [...viewing, ...objects('create', 'delete', 'update')];
const administering = [...using, ...objects('setRetention', 'overrideUnlockedRetention')];

/** The permissions of Google's predefined roles, as far as the JSON API of the stage needs them. */
const bucketRoles: Readonly<Record<string, readonly string[]>> = {
  'roles/storage.objectViewer': viewing,
  'roles/storage.objectCreator': objects('create'),
  'roles/storage.objectUser': using,
  'roles/storage.objectAdmin': administering,
  'roles/storage.admin': [...administering, 'storage.buckets.get', 'storage.buckets.update'],
};

export const authorizeFederatedStorage = (state: State): AuthorizeBucket => {
  const iam = openGoogleIam(state);
  return (token, bucket, permission) => {
    if (!token?.startsWith(federatedTokenPrefix)) return;
    const member = state.get<string>(tokenKind, token);
    if (member === undefined) throw new GcsError(401, 'authError', 'Invalid Credentials');
    if (!iam.rolesOf(`buckets/${bucket}`, member).some((role) => bucketRoles[role]?.includes(permission)))
      throw new GcsError(
        403,
        'forbidden',
        `${member} does not have ${permission} access to the Google Cloud Storage resource. Permission '${permission}' denied on resource (or it may not exist).`,
      );
  };
};
