/** `gcloud` of the local stage: sends a command line to its identity provider (IDP_PORT). `gcloud` beside it runs it. */
const port = process.env.IDP_PORT ?? '3001';
const response = await fetch(`http://localhost:${port}/google/gcloud`, {
  method: 'POST',
  body: JSON.stringify(process.argv.slice(2)),
});
const { output, error } = (await response.json()) as { readonly output?: string; readonly error?: string };
if (error !== undefined) {
  console.error(`ERROR: (gcloud) ${error}`);
  process.exitCode = 1;
} else if (output) console.log(output);
