@NullMarked
package fairgate.sale.deposit;

import org.jspecify.annotations.NullMarked;
