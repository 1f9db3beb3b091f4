package fairgate.redeem.transfer;

import fairgate.kernel.Ids;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.text.CsvFile.InvalidCsv;
import fairgate.platform.text.Language;
import fairgate.redeem.orders.OrderNumberFormats;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Imports files of orders. Memory use is that of a thousand rows, whatever the size of the file.
/// Committed rows stay, and importing the same file again continues an interrupted import or
/// changes nothing.
public final class ImportService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ImportService.class);
  private static final long STOP_SECONDS = 5;

  private final TransferFeature.Config config;
  private final ImportRun.Store store;
  private final PostgresStatusWords words;
  private final Rules rules;
  private final Ids ids;
  private final UploadFolder spool;
  private final Semaphore places;
  private final ExecutorService threads;
  private final Map<String, CompletableFuture<Void>> runs = new ConcurrentHashMap<>();

  /// The rules for checking rows.
  ///
  /// @param products whether a product with this id exists
  public record Rules(OrderNumberFormats shapes, Predicate<String> products) {}

  ImportService(TransferFeature.Config config, ImportRun.Store store, Rules rules, Ids ids) {
    this.config = config;
    this.store = store;
    this.words = new PostgresStatusWords(store.database());
    this.rules = rules;
    this.ids = ids;
    this.spool = new UploadFolder(config.spool());
    this.places = new Semaphore(config.atOnce());
    // Reading a file keeps a processor busy, which virtual threads share.
    this.threads =
        Executors.newFixedThreadPool(
            config.atOnce(), Thread.ofPlatform().daemon().name("import-", 0).factory());
  }

  /// Takes a file in and has it imported; returns when it has arrived and was looked through once.
  /// Blocks. Throws IOException when the body does not arrive whole.
  ///
  /// @param fileName for people
  public ImportOutcome submit(
      InputStream body, String fileName, ImportOptions options, String actor) throws IOException {
    if (!places.tryAcquire()) {
      return new ImportOutcome.Busy();
    }
    UploadFolder.Upload spooled = null;
    boolean started = false;
    try {
      spooled = spool.take(body);
      ImportOutcome outcome = begin(spooled, fileName, options, actor);
      started = outcome instanceof ImportOutcome.Started;
      return outcome;
    } finally {
      if (!started) {
        places.release();
        if (spooled != null) {
          spooled.close();
        }
      }
    }
  }

  /// The import, once it has ended, or after so long as it is then. Blocks.
  public Optional<ImportJob> settled(String id, Duration longest) {
    CompletableFuture<Void> run = runs.get(id);
    if (run != null) {
      try {
        Void _ = run.get(longest.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException | ExecutionException _) {
        return find(id);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ServiceUnavailable("interrupted", Duration.ofSeconds(1));
      }
    }
    return find(id);
  }

  /// An import; blocks.
  public Optional<ImportJob> find(String id) {
    return store.imports().find(id);
  }

  /// The newest imports, the newest first; blocks.
  public List<ImportJob> newest(int limit) {
    return store.imports().newest(limit);
  }

  /// Undoes an import: orders and their codes get their earlier state; orders that it added are
  /// removed unless they were redeemed. Later changes by other imports stay. A repeat changes
  /// nothing. Blocks for as long as the import took.
  public UndoOutcome undo(String id, String actor) {
    return new PostgresImportUndo(store.database()).undo(id, actor);
  }

  /// Writes the refused rows of an import as CSV: row, problem, and the row as it was. Blocks.
  public void writeErrors(String id, Language language, OutputStream out) throws IOException {
    new ErrorFile(store.imports()).write(id, language, out);
  }

  /// The first refused rows of an import, in the order of the file; blocks.
  public List<RefusedRow> refusedRows(String id, int limit, Language language) {
    return new ErrorFile(store.imports()).first(id, limit, language);
  }

  /// Gives a word for the status of an order its meaning in all later files; blocks.
  ///
  /// @param word with a letter or a digit, see [#isWord]
  /// @param status one of [StatusWords#STATUSES]
  public void mapWord(String word, String status, String actor) {
    words.map(word, status, actor);
  }

  /// Forgets the operators' meaning of a word; blocks.
  public void forgetWord(String word) {
    words.forget(word);
  }

  /// Whether a text has letters or digits, by which words are compared.
  public static boolean isWord(String text) {
    return !StatusWords.normal(text).isEmpty();
  }

  /// The operators' own words; blocks.
  public List<OwnWord> ownWords() {
    return words.own();
  }

  /// The words for a status that an import did not know, the most frequent first; blocks.
  public List<UnknownWord> unknownWords(String id) {
    return words.unknown(id);
  }

  private ImportOutcome begin(
      UploadFolder.Upload spooled, String fileName, ImportOptions options, String actor)
      throws IOException {
    FileSummary look;
    try {
      look = onThread(() -> FileSummary.at(spooled, options));
    } catch (InvalidCsv refused) {
      return new ImportOutcome.Refused(refused.field(), refused.problemKey(), refused.arguments());
    }
    String runner = ids.nonce();
    PostgresImports.StartResult asked =
        store
            .imports()
            .ask(
                fresh(spooled, fileName, options, look, actor),
                look.columns().header(),
                age(options, look),
                runner);
    ImportJob job = asked.turn().job();
    if (!asked.mine()) {
      return job.state() == ImportJob.State.RUNNING
          ? new ImportOutcome.Running(job)
          : new ImportOutcome.Repeated(job);
    }
    ImportRun run = new ImportRun(store, asked.turn(), runner, options, config.batchRows());
    CompletableFuture<Void> ended = new CompletableFuture<>();
    runs.put(job.id(), ended);
    threads.execute(
        () -> {
          try {
            go(run, job.id(), runner, look, options);
          } finally {
            spooled.close();
            places.release();
            runs.remove(job.id(), ended);
            ended.complete(null);
          }
        });
    return new ImportOutcome.Started(job);
  }

  @SuppressWarnings("CatchingUnchecked") // Whatever ends an import is noted in it.
  private void go(
      ImportRun run, String id, String runner, FileSummary look, ImportOptions options) {
    try {
      run.run(
          look.file(),
          new RowReader(look, options, rules.shapes(), words.words(), rules.products()));
      store.imports().end(id, runner, ImportJob.State.DONE);
    } catch (ImportRun.LeaseLost _) {
      LOG.info("Import stopped; another node continues it or the server stops; importId={}", id);
    } catch (ServiceUnavailable away) {
      LOG.warn("Import interrupted by an outage; importId={}", id, away);
    } catch (Exception e) {
      LOG.error("Import failed; importId={}", id, e);
      fail(id, runner);
    }
  }

  private void fail(String id, String runner) {
    try {
      store.imports().end(id, runner, ImportJob.State.FAILED);
    } catch (RuntimeException e) {
      LOG.warn("Could not store the end of an import; importId={}", id, e);
    }
  }

  private static ImportJob fresh(
      UploadFolder.Upload spooled,
      String fileName,
      ImportOptions options,
      FileSummary look,
      String actor) {
    return new ImportJob(
        spooled.importId(options),
        fileName,
        options.dryRun(),
        look.file().text().charset().name(),
        ImportJob.State.RUNNING,
        look.rows(),
        0,
        ImportJob.RowCounts.NONE,
        ImportJob.Codes.NONE,
        actor,
        Instant.EPOCH,
        null,
        null,
        1,
        "[]");
  }

  private static PostgresImports.ExportTime age(ImportOptions options, FileSummary look) {
    Optional<Instant> said = options.exported();
    return new PostgresImports.ExportTime(said.or(look::newest).orElse(null), said.isPresent());
  }

  private interface FileReader {
    FileSummary look() throws IOException, InvalidCsv;
  }

  private FileSummary onThread(FileReader look) throws IOException, InvalidCsv {
    try {
      return threads.submit(look::look).get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case InvalidCsv refused -> throw refused;
        case IOException broken -> throw broken;
        case null, default -> throw new IllegalStateException(e);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailable("interrupted", Duration.ofSeconds(1));
    }
  }

  /// Stops running imports after the batch they are at; they go on when the file is handed in
  /// again.
  @Override
  public void close() {
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("An import did not stop in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// An operator's word for the status of an order.
  public record OwnWord(String word, String status, String actor, Instant at) {}

  /// A word for the status of an order that an import did not know.
  ///
  /// @param rows how many rows have it
  public record UnknownWord(String word, long rows) {}

  /// A row that was not imported.
  ///
  /// @param number its number in the file, as a spreadsheet counts
  /// @param problem the advice for the seller
  public record RefusedRow(long number, String problem) {}

  public sealed interface UndoOutcome {
    /// It is undone.
    ///
    /// @param putBack orders in their earlier state
    /// @param removed orders it had added
    /// @param kept orders it had added that stay because they were redeemed
    /// @param codes the effects on issued codes; `inUse` is not filled in
    record Undone(ImportJob job, long putBack, long removed, long kept, ImportJob.Codes codes)
        implements UndoOutcome {}

    record Unknown() implements UndoOutcome {}

    /// It is under way: it has to end first.
    record Running() implements UndoOutcome {}

    /// It was a dry run, which has changed nothing.
    record DryRun() implements UndoOutcome {}
  }

  public sealed interface ImportOutcome {
    /// It is being imported, from the beginning or from where an earlier try stopped.
    record Started(ImportJob job) implements ImportOutcome {}

    /// This node or another one is importing the same file with the same options right now.
    record Running(ImportJob job) implements ImportOutcome {}

    /// The same file was imported with the same options before, without a row refused.
    record Repeated(ImportJob job) implements ImportOutcome {}

    /// Nothing can be read out of the file.
    ///
    /// @param option the option that can solve it; empty for none
    /// @param problemKey of the message `invalid.<problemKey>`
    /// @param arguments of the message, from `{1}` on
    record Refused(String option, String problemKey, List<Object> arguments)
        implements ImportOutcome {}

    /// This node imports as many files as it can.
    record Busy() implements ImportOutcome {}
  }
}
