/** Builds the whole release of the checkout that it belongs to: `node build-whole.ts <folder>`. `npm run release` asks for a clean tree. */
import { artifacts } from '../../../infra/release/artifacts.ts';
import { buildRelease } from '../../../infra/release/build-release.ts';

const [out = ''] = process.argv.slice(2);
await buildRelease({ artifacts, out });
