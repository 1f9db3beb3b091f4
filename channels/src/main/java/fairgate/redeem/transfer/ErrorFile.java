package fairgate.redeem.transfer;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.text.Language;
import fairgate.platform.text.SpreadsheetCsv;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/// The refused rows as a file: row number, advice, and the original row. It is safe for
/// spreadsheets (UTF-8 with a byte order mark, no formulas), and can be imported again after
/// correction: the import ignores the first two columns.
final class ErrorFile {
  private static final int PAGE = 500;

  private final PostgresImports imports;

  ErrorFile(PostgresImports imports) {
    this.imports = imports;
  }

  /// Writes the refused rows of an import; blocks.
  void write(String id, Language language, OutputStream out) throws IOException {
    SpreadsheetCsv csv = new SpreadsheetCsv(out);
    List<String> header = new ArrayList<>(List.of("row", "problem"));
    header.addAll(texts(Json.parseObject(imports.header(id)), "cells"));
    csv.write(header);
    long after = 0;
    List<PostgresImports.RejectedRow> page = imports.errors(id, after, PAGE);
    while (!page.isEmpty()) {
      for (PostgresImports.RejectedRow kept : page) {
        csv.write(record(kept, language));
        after = kept.number();
      }
      page = imports.errors(id, after, PAGE);
    }
    csv.flush();
  }

  private static List<String> record(PostgresImports.RejectedRow kept, Language language) {
    JsonObject detail = Json.parseObject(kept.detail());
    RowProblem problem = new RowProblem(kept.problem(), texts(detail, "arguments"));
    List<String> cells = new ArrayList<>();
    cells.add(Long.toString(kept.number()));
    cells.add(problem.text(language));
    cells.addAll(texts(detail, "cells"));
    return cells;
  }

  private static List<String> texts(JsonObject json, String name) {
    return json.get(name) instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : List.of();
  }
}
