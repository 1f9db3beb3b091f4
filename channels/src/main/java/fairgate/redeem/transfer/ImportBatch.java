package fairgate.redeem.transfer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Rows that are written together; consecutive rows of one order are never separated. Repeated rows
/// within a batch are detected here, because a statement may update a product of an order only
/// once.
final class ImportBatch {
  private final List<ImportRow> rows = new ArrayList<>();
  private final List<BatchResult.Refused> refused = new ArrayList<>();
  private final Map<String, ImportRow> byName = new HashMap<>();
  private @Nullable ImportRow last;
  private long length;
  private long blank;
  private long duplicates;
  private boolean tried;

  /// Adds the result of parsing a row.
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
