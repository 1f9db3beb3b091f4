@NullMarked
package fairgate.sale.details;

import org.jspecify.annotations.NullMarked;
