import { foundNothing } from '../../../data/restore-test/restore-test-words.ts';
import { type TestRun, useSaveEvidence } from '../../../data/restore-test/restore-tests.ts';
import { Card } from '../../../ui/data/card.tsx';
import { CodeBlock } from '../../../ui/data/code-block.tsx';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { Button } from '../../../ui/form/button.tsx';

/** The signed evidence, and how to check it without the service. */
export const EvidenceCard = ({ run }: { readonly run: TestRun }) => {
  const { id, evidence } = run;
  const save = useSaveEvidence(id);
  if (!evidence && foundNothing(run))
    return (
      <Notice title="There is no evidence of this test">
        Evidence is stored beside the backup that was tested, and there was none.
      </Notice>
    );
  if (!evidence)
    return (
      <Notice tone="warn" title="There is no evidence of this test">
        It could not be stored beside the backups.
      </Notice>
    );
  return (
    <Card
      title="Evidence"
      description="A signed document beside the backups: what was tested, when, by whom, and what was found. It outlives the backup."
    >
      <div className="stack">
        <dl className="facts">
          <Fact label="Object in your storage" isLong className="wrap-anywhere">
            <code>{evidence.object}</code>
          </Fact>
          <Fact label="Fingerprint of the key" isLong className="wrap-anywhere">
            <code>{evidence.keyId}</code>
          </Fact>
        </dl>
        <div className="row">
          <Button icon="download" variant="primary" busy={save.isPending} onClick={() => save.mutate()}>
            Download the evidence
          </Button>
        </div>
        {save.error && <ErrorNotice error={save.error} title="The evidence is not served" />}
        <p>
          An auditor checks it without this service. The key is published at{' '}
          <a href="/.well-known/evidence-keys.json" target="_blank" rel="noreferrer">
            /.well-known/evidence-keys.json
          </a>
          .
        </p>
        <CodeBlock label="How to verify the evidence" code={`bms archive verify-evidence ${id}.json --key ${evidence.keyId}`} />
      </div>
    </Card>
  );
};
