package fairgate.redeem.transfer;

import fairgate.redeem.transfer.RowReader.ImportRow;
import java.util.ArrayList;
import java.util.List;

/// The result of a batch of rows: the refused rows, and the number of the others.
final class BatchResult {
  private final List<Refused> refused = new ArrayList<>();
  private long rows;
  private long blank;
  private long added;
  private long updated;
  private long unchanged;
  private long duplicates;
  private ImportJob.Codes codes = ImportJob.Codes.NONE;

  record Refused(long number, RowProblem problem, List<String> cells) {
    Refused {
      cells = List.copyOf(cells);
    }
  }

  /// How many rows are done with this batch, blank ones included.
  void rows(long count, long ofThemBlank) {
    rows = count;
    blank = ofThemBlank;
  }

  void refuse(long number, RowProblem problem, List<String> cells) {
    refused.add(new Refused(number, problem, cells));
  }

  void refuse(ImportRow row, RowProblem problem) {
    refuse(row.number(), problem, row.cells());
  }

  void added() {
    added++;
  }

  void updated() {
    updated++;
  }

  void unchanged() {
    unchanged++;
  }

  void duplicate() {
    duplicates++;
  }

  void codes(ImportJob.Codes more) {
    codes = codes.plus(more);
  }

  ImportJob.Codes codes() {
    return codes;
  }

  List<Refused> refused() {
    return List.copyOf(refused);
  }

  long rows() {
    return rows;
  }

  ImportJob.RowCounts counts() {
    return new ImportJob.RowCounts(added, updated, unchanged, duplicates, refused.size(), blank);
  }
}
