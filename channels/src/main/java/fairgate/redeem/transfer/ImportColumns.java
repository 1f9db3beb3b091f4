package fairgate.redeem.transfer;

import fairgate.platform.text.CellText;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// Which column of a file holds which field.
///
/// @param header the file's own header
/// @param places field to column, from 0
record ImportColumns(List<String> header, Map<ImportField, Integer> places) {
  private static final int SHOWN = 30;

  ImportColumns {
    header = List.copyOf(header);
    places = Map.copyOf(places);
  }

  /// Finds the columns by the header; the first of two that are named alike counts. Throws
  /// InvalidImportFile when one is missing that neither the header nor the options have.
  static ImportColumns of(List<String> header, ImportOptions options) throws InvalidImportFile {
    List<String> headings = header.stream().map(CellText::heading).toList();
    Map<ImportField, Integer> places = new EnumMap<>(ImportField.class);
    for (Map.Entry<String, String> wish : options.headings().entrySet()) {
      int at = headings.indexOf(CellText.heading(wish.getValue()));
      if (at < 0) {
        throw new InvalidImportFile("csv_no_heading", wish.getValue(), shown(header));
      }
      ImportField.named(wish.getKey()).ifPresent(field -> places.put(field, at));
    }
    for (ImportField field : ImportField.values()) {
      for (String heading : field.headings()) {
        int at = headings.indexOf(heading);
        if (at >= 0 && !places.containsKey(field) && !places.containsValue(at)) {
          places.put(field, at);
        }
      }
    }
    need(places, header, ImportField.ORDER_ID, "");
    need(places, header, ImportField.PRODUCT_ID, options.product());
    need(places, header, ImportField.STATUS, options.status());
    return new ImportColumns(header, places);
  }

  /// The field's cell, clean; empty where the row or the file has none.
  String cell(List<String> cells, ImportField field) {
    Integer at = places.get(field);
    return at == null || at >= cells.size() ? "" : CellText.clean(cells.get(at));
  }

  boolean has(ImportField field) {
    return places.containsKey(field);
  }

  private static void need(
      Map<ImportField, Integer> places, List<String> header, ImportField field, String instead)
      throws InvalidImportFile {
    if (!places.containsKey(field) && instead.isEmpty()) {
      throw new InvalidImportFile("csv_no_column", field.wireName(), shown(header));
    }
  }

  private static String shown(List<String> header) {
    List<String> some = new ArrayList<>();
    for (String heading : header.subList(0, Math.min(SHOWN, header.size()))) {
      String clean = CellText.clean(heading);
      some.add(clean.length() > SHOWN ? clean.substring(0, SHOWN) + "…" : clean);
    }
    return String.join(", ", some);
  }
}
