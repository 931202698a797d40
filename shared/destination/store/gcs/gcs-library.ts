/** Google's client. A bundle has it in a file of its own, which is read when the first bucket of Cloud Storage is opened. */
export { Storage } from '@google-cloud/storage';
export { AuthClient } from 'google-auth-library';
