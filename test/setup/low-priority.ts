/**
 * Unit tests get the processor after the stage and its clients. Otherwise a busy machine delays the answers of DynamoDB Local until
 * functions give up on them.
 */
import { setPriority } from 'node:os';

setPriority(5);
