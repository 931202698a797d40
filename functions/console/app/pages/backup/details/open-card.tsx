import { Card } from '../../../ui/data/card.tsx';
import { CodeBlock } from '../../../ui/data/code-block.tsx';

/** The commands that make a backup usable on the person's own machine, where the console cannot reach. */
export const OpenCard = ({ backupId }: { readonly backupId: string }) => (
  <Card
    title="Open on your machine"
    description="As a Firestore on localhost:8080, without restoring it. What your application writes stays on your machine."
  >
    <div className="stack stack--tight">
      <CodeBlock label="Open this backup" code={`bms open ${backupId}`} />
      <p className="small muted">Or copy some of it into an emulator that runs:</p>
      <CodeBlock label="Copy collections into an emulator" code={`bms pull COLLECTION --from ${backupId} --into emulator`} />
    </div>
  </Card>
);
