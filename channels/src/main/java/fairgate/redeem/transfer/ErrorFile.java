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
record ErrorFile(PostgresImports imports) {
  private static final int PAGE = 500;

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

  /// The first refused rows of an import, without their cells; blocks.
  List<ImportService.RefusedRow> first(String id, int limit, Language language) {
    return imports.errors(id, 0, limit).stream()
        .map(kept -> new ImportService.RefusedRow(kept.number(), problem(kept).text(language)))
        .toList();
  }

  private static List<String> record(PostgresImports.RejectedRow kept, Language language) {
    List<String> cells = new ArrayList<>();
    cells.add(Long.toString(kept.number()));
    cells.add(problem(kept).text(language));
    cells.addAll(texts(Json.parseObject(kept.detail()), "cells"));
    return cells;
  }

  private static RowProblem problem(PostgresImports.RejectedRow kept) {
    return new RowProblem(kept.problem(), texts(Json.parseObject(kept.detail()), "arguments"));
  }

  private static List<String> texts(JsonObject json, String name) {
    return json.get(name) instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : List.of();
  }
}
