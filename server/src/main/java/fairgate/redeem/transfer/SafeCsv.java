package fairgate.redeem.transfer;

import de.siegmar.fastcsv.writer.CsvWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// CSV for spreadsheets: UTF-8 with a byte order mark, which Excel needs, and no cell a formula.
final class SafeCsv {
  private final CsvWriter csv;
  private final Writer text;

  SafeCsv(OutputStream out) throws IOException {
    text = new OutputStreamWriter(out, StandardCharsets.UTF_8);
    text.write('\ufeff');
    csv = CsvWriter.builder().build(text);
  }

  void write(List<String> cells) {
    csv.writeRecord(cells.stream().map(CellText::safe).toList());
  }

  void flush() throws IOException {
    csv.flush();
    text.flush();
  }
}
