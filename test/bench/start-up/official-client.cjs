/** Baseline of the workers' start-up: loads the official client until it could make its first call. */
const { v1 } = require('@google-cloud/firestore');
const { grpc } = require('google-gax');

const sslCreds = grpc.credentials.createInsecure();
exports.isReady = new v1.FirestoreClient({ projectId: 'bench', sslCreds, servicePath: '127.0.0.1', port: 1 }).initialize();
