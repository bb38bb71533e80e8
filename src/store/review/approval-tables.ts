/** What the tables keep of approvals. */
export interface ApprovalTables {
  approved_row: {
    readonly batch_id: string;
    readonly proposal_id: number;
    readonly row_no: number;
    readonly amount_satang: string;
    readonly digest: string | null;
  };
  contributor: {
    readonly batch_id: string;
    readonly person_id: number;
    readonly part: 'uploaded' | 'corrected';
  };
}
