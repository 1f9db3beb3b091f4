package fairgate.redeem.transfer;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import fairgate.platform.text.CsvFile;
import fairgate.platform.text.CsvFile.InvalidCsv;
import fairgate.redeem.code.SellerCodes;
import fairgate.redeem.transfer.RowReader.ImportRow;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// One run of an import: reads the file after the rows that are done, and writes a batch per
/// transaction, which also stores the progress. After any interruption, the next run continues at
/// the first row that is not committed.
final class ImportRun {
  private static final Duration MAX_OUTAGE = Duration.ofMinutes(2);
  private static final Duration RETRY_INTERVAL = Duration.ofMillis(500);

  /// The number of rows by which a batch may grow to hold all rows of its last order.
  private static final int MAX_EXTRA_ROWS = 100;

  private final Store store;
  private final PostgresImports.Turn turn;
  private final String runner;
  private final ImportOptions options;
  private final int batchRows;
  private long done;

  record Store(PostgresDatabase database, PostgresImports imports, SellerCodes codes) {}

  /// Another runner is at the import; this one has written nothing since.
  static final class LeaseLost extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LeaseLost() {
      super("another runner is at it", null, false, false);
    }
  }

  ImportRun(
      Store store, PostgresImports.Turn turn, String runner, ImportOptions options, int batchRows) {
    this.store = store;
    this.turn = turn;
    this.runner = runner;
    this.options = options;
    this.batchRows = batchRows;
    this.done = turn.job().rowsDone();
  }

  /// Imports the rest of the file. Throws TakenOver; ServiceUnavailable if PostgreSQL is
  /// unavailable for minutes.
  void run(CsvFile file, RowReader rows) throws IOException, InvalidCsv {
    ImportBatch[] batch = {new ImportBatch()};
    long behind = done + file.headerRow();
    file.read(
        (number, given) -> {
          List<String> cells = number > file.headerRow() ? rows.completed(given) : given;
          if (number > behind) {
            RowReader.Reading reading = rows.read(number, cells);
            long over = batch[0].length() - batchRows;
            if (over >= MAX_EXTRA_ROWS || (over >= 0 && !batch[0].goesOn(reading))) {
              commit(batch[0]);
              batch[0] = new ImportBatch();
            }
            batch[0].add(number, cells, reading);
          }
          return !Thread.currentThread().isInterrupted();
        });
    if (Thread.currentThread().isInterrupted()) {
      throw new LeaseLost();
    }
    if (batch[0].length() > 0) {
      commit(batch[0]);
    }
  }

  private void commit(ImportBatch batch) {
    long deadline = System.nanoTime() + MAX_OUTAGE.toNanos();
    boolean again = true;
    while (!written(batch)) {
      try {
        boolean _ = store.database().tx(db -> write(db, batch));
        done += batch.length();
        return;
      } catch (ServiceUnavailable away) {
        if (System.nanoTime() - deadline > 0) {
          throw away;
        }
        LockSupport.parkNanos(RETRY_INTERVAL.toNanos());
      } catch (PostgresRefusal refusal) {
        // Another transaction wrote the same code at the same time; the next attempt finds it.
        if (!refusal.duplicate() || !again) {
          throw refusal;
        }
        again = false;
      }
    }
  }

  /// Whether an earlier try at this batch was committed, though its answer was lost.
  private boolean written(ImportBatch batch) {
    if (batch.isTried()) {
      try {
        long there = store.imports().find(turn.job().id()).map(ImportJob::rowsDone).orElse(done);
        if (there == done + batch.length()) {
          done = there;
          return true;
        }
      } catch (ServiceUnavailable _) {
        return false;
      }
    }
    batch.tried();
    return false;
  }

  private boolean write(Db db, ImportBatch batch) {
    BatchResult tally = batch.tally();
    List<ImportRow> rows = options.dryRun() ? batch.rows() : bound(db, batch.rows(), tally);
    new PostgresOrderRows(db, options.currency(), turn.mark(), turn.asOf(), options.dryRun())
        .write(rows, tally);
    if (!PostgresImports.advance(db, turn, runner, done, tally)) {
      throw new LeaseLost();
    }
    return true;
  }

  /// Binds the sellers' codes; returns the rows without a code and those whose code is bound.
  /// Orders that get no code, such as refunded ones, are imported with any code cell.
  private List<ImportRow> bound(Db db, List<ImportRow> rows, BatchResult tally) {
    List<ImportRow> coded = rows.stream().filter(ImportRun::bringsCode).toList();
    if (coded.isEmpty()) {
      return rows;
    }
    List<SellerCodes.BindOutcome> outcomes =
        store.codes().bind(db, coded.stream().map(ImportRun::code).toList(), turn.job().actor());
    Set<ImportRow> refused = new HashSet<>();
    for (int i = 0; i < coded.size(); i++) {
      ImportRow row = coded.get(i);
      switch (outcomes.get(i)) {
        case SellerCodes.BindOutcome.Bound(), SellerCodes.BindOutcome.Repeated() -> {}
        case SellerCodes.BindOutcome.CodeTaken() -> {
          tally.refuse(row, RowProblem.of("code_taken"));
          refused.add(row);
        }
        case SellerCodes.BindOutcome.OrderTaken() -> {
          tally.refuse(row, RowProblem.of("order_has_code", row.order().id()));
          refused.add(row);
        }
      }
    }
    List<ImportRow> left = new ArrayList<>(rows);
    left.removeAll(refused);
    return left;
  }

  private static boolean bringsCode(ImportRow row) {
    return !row.code().isEmpty() && (row.status().equals("paid") || row.status().equals("pending"));
  }

  private static SellerCodes.SellerCode code(ImportRow row) {
    return new SellerCodes.SellerCode(
        row.order().platform(), row.order().id(), row.order().product(), row.code());
  }

  /// Rows that are written together; consecutive rows of one order are never separated. Repeated
  /// rows within a batch are detected here, because a statement may update a product of an order
  /// only once.
  static final class ImportBatch {
    private final List<ImportRow> rows = new ArrayList<>();
    private final List<BatchResult.Refused> refused = new ArrayList<>();
    private final Map<String, ImportRow> byName = new HashMap<>();
    private @Nullable ImportRow last;
    private long length;
    private long blank;
    private long duplicates;
    private boolean tried;

    void add(long number, List<String> cells, RowReader.Reading reading) {
      length++;
      last = reading instanceof RowReader.Reading.ValidRow(ImportRow row) ? row : null;
      switch (reading) {
        case RowReader.Reading.Blank() -> blank++;
        case RowReader.Reading.InvalidRow(RowProblem problem) ->
            refused.add(new BatchResult.Refused(number, problem, cells));
        case RowReader.Reading.ValidRow(ImportRow row) -> add(row);
      }
    }

    private void add(ImportRow row) {
      ImportRow earlier = byName.putIfAbsent(row.order().name(), row);
      if (earlier == null) {
        rows.add(row);
      } else if (earlier.content().equals(row.content())) {
        duplicates++;
      } else {
        RowProblem problem = RowProblem.of("contradiction", row.order().id());
        refused.add(new BatchResult.Refused(row.number(), problem, row.cells()));
      }
    }

    /// Whether a row is of the same order as the last one.
    boolean goesOn(RowReader.Reading reading) {
      return last != null
          && reading instanceof RowReader.Reading.ValidRow(ImportRow row)
          && row.order().isSameOrder(last.order());
    }

    /// How many rows were added, whatever became of them.
    long length() {
      return length;
    }

    /// Whether an attempt to write it was made.
    boolean isTried() {
      return tried;
    }

    void tried() {
      tried = true;
    }

    /// The rows to be written, each product of an order once.
    List<ImportRow> rows() {
      return List.copyOf(rows);
    }

    /// The counts before anything is written.
    BatchResult tally() {
      BatchResult tally = new BatchResult();
      tally.rows(length, blank);
      refused.forEach(each -> tally.refuse(each.number(), each.problem(), each.cells()));
      for (long i = 0; i < duplicates; i++) {
        tally.duplicate();
      }
      return tally;
    }
  }
}
